// One form of an endpoint's address. Used wherever addresses are compared.

/** Endpoints are compared and keys are kept by this form: no trailing slash. */
export const tidyUrl = (url: string): string => url.trim().replace(/\/+$/, '');
