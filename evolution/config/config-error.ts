// The error of wrong settings. Apart from problems.ts, so that whoever only tells errors apart need not load the
// schema.

/** A mistake in settings: nothing was started. */
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
