// What is wrong with settings.
import { ConfigError } from '../../../evolution/config/config-error.ts';

/** The problems with which it is refused; empty where it is not. */
export const problemsOf = (act: () => unknown): readonly string[] => {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};
