// Servers that only this machine is to reach. A page in a browser of this machine reaches them too, where the name of its
// own server is made to mean 127.0.0.1 (DNS rebinding). Its requests then carry that name in the header Host.
const NAMES = ['127.0.0.1', '::1', 'localhost'];

/** True if nobody outside of this machine reaches a server that listens there. */
export const isLoopback = (host: string): boolean => NAMES.includes(host);

/** True for a request that names its server as one on this machine. Callers that are no browsers may leave it out. */
export const isForLoopback = (header: string | undefined): boolean => {
  if (header === undefined) return true;
  const name = URL.parse(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '');
  return name !== undefined && isLoopback(name);
};
