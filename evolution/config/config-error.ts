// A ConfigError is raised by wrong settings. It is apart from the schema, so that code that only tells errors apart
// need not load it.

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
