// The error of wrong settings, apart from the schema, which is slow to load.

/** A mistake in settings was found, and nothing was started. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? problems[0]!
        : [`${problems.length} problems in the configuration:`, ...problems.map((problem) => `  ${problem}`)].join(
            '\n',
          ),
    );
    this.problems = problems;
  }
}
