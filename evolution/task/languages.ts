// The languages of programs: each is one entry, and all that differs between them is said here. Python runs as it is; a
// program in another language is built (sandbox/foreign/builds.ts) and speaks JSON lines (sandbox/foreign/program.py).

export type Language = {
  /** As models and people read it. */
  readonly title: string;
  /** Of the initial program's file. */
  readonly extension: string;
  /** The beginning of a comment that reaches to the end of the line, before the EVOLVE-BLOCK markers. */
  readonly comment: '#' | '//' | '!' | '<!--';
  /** The word behind the fence of a program in a prompt. */
  readonly fence: string;
  /** What makes a program of the file; left out where it is neither built nor run by us (Python, text). */
  readonly toolchain?: Toolchain;
};

export type Toolchain = {
  /** Debian packages; null: there are none, so the task names an image that has it. */
  readonly packages: readonly string[] | null;
  /** Files that a package would copy when it is installed, which nobody does here: from and to. */
  readonly copied?: readonly (readonly [from: string, to: string])[];
  /** As prompts say it: the oldest version that an image of ours has, and the flags. */
  readonly told: string;
  /** The name under which the source is compiled and run. */
  readonly file: string;
  /** Makes the files of `built`, or looks whether the source can be read; empty: nothing is looked at before it runs. */
  readonly compile: readonly string[];
  /** What the compiler leaves to be run: one program, or files by a pattern. */
  readonly built: string;
  readonly run: readonly string[];
  /** Environment variables of both, and of an evaluator that calls the tools itself. */
  readonly env?: { readonly [name: string]: string };
};

export const lacksTool = (language: LanguageName, tool: string): string =>
  `the image of the task's programs has no ${tool}, which language: ${language} needs: name another one (image:), or leave it out, so that ours gets it`;

/** Where images have their tools: Debian's, and those of the languages themselves. */
export const TOOL_PATH =
  '/usr/local/bin:/usr/bin:/bin:/usr/lib/jvm/java-17-openjdk-amd64/bin:/usr/local/go/bin:/usr/local/cargo/bin:/opt/java/openjdk/bin:/usr/local/julia/bin';

/** The file that is a program for the machine. */
export const BINARY = 'program';
const RUN_BINARY = [`./${BINARY}`];

const C_FLAGS = ['-O2', '-Wall', '-o', BINARY];

const table = {
  python: { title: 'Python', extension: 'py', comment: '#', fence: 'python' },
  c: {
    ...{ title: 'C17', extension: 'c', comment: '//', fence: 'c' },
    toolchain: {
      packages: ['gcc', 'libc6-dev'],
      told: 'gcc 12 or newer with -std=c17 -O2',
      ...{ file: 'program.c', built: BINARY, run: RUN_BINARY },
      compile: ['gcc', '-std=c17', ...C_FLAGS, 'program.c', '-lm'],
    },
  },
  cpp: {
    ...{ title: 'C++20', extension: 'cpp', comment: '//', fence: 'cpp' },
    toolchain: {
      packages: ['g++'],
      told: 'g++ 12 or newer with -std=c++20 -O2',
      ...{ file: 'program.cpp', built: BINARY, run: RUN_BINARY },
      compile: ['g++', '-std=c++20', ...C_FLAGS, 'program.cpp'],
    },
  },
  rust: {
    ...{ title: 'Rust 2021', extension: 'rs', comment: '//', fence: 'rust' },
    toolchain: {
      packages: ['rustc-web', 'cargo-web', 'libc6-dev'],
      copied: [['usr/bin/gcc', 'usr/bin/cc']],
      told: 'rustc 1.85 or newer with -C opt-level=3, without crates',
      ...{ file: 'program.rs', built: BINARY, run: RUN_BINARY },
      compile: ['rustc', '--edition=2021', '-Copt-level=3', '-Cstrip=symbols', '-o', BINARY, 'program.rs'],
      env: { CARGO_NET_OFFLINE: 'true' },
    },
  },
  go: {
    ...{ title: 'Go', extension: 'go', comment: '//', fence: 'go' },
    toolchain: {
      packages: ['golang-go'],
      told: 'go 1.19 or newer, its standard library alone',
      ...{ file: 'program.go', built: BINARY, run: RUN_BINARY },
      compile: ['go', 'build', '-ldflags=-s -w', '-o', BINARY, 'program.go'],
      env: { CGO_ENABLED: '0', GO111MODULE: 'off', GOCACHE: '/box/.go', GOFLAGS: '', GOTOOLCHAIN: 'local' },
    },
  },
  fortran: {
    ...{ title: 'Fortran 2018', extension: 'f90', comment: '!', fence: 'fortran' },
    toolchain: {
      packages: ['gfortran'],
      told: 'gfortran 12 or newer with -std=f2018 -O2',
      ...{ file: 'program.f90', built: BINARY, run: RUN_BINARY },
      compile: ['gfortran', '-std=f2018', ...C_FLAGS, 'program.f90'],
    },
  },
  r: {
    ...{ title: 'R', extension: 'R', comment: '#', fence: 'r' },
    toolchain: {
      // Shells start R and what it calls.
      packages: ['r-base-core', 'r-cran-jsonlite', 'bash', 'dash', 'coreutils', 'sed', 'libc-bin'],
      copied: [
        ['usr/lib/R/etc/Renviron.ucf', 'etc/R/Renviron'],
        ['usr/bin/which.debianutils', 'usr/bin/which'],
      ],
      told: 'R 4.2 or newer with its base packages and jsonlite',
      ...{ file: 'program.R', built: 'program.R' },
      compile: ['Rscript', '--vanilla', '-e', 'invisible(parse("program.R"))'],
      run: ['Rscript', '--vanilla', 'program.R'],
      env: { LD_LIBRARY_PATH: '/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack' },
    },
  },
  javascript: {
    ...{ title: 'JavaScript', extension: 'mjs', comment: '//', fence: 'javascript' },
    toolchain: {
      packages: ['nodejs'],
      told: 'an ES module of Node 18 or newer, without packages',
      ...{ file: 'program.mjs', built: 'program.mjs' },
      compile: ['node', '--check', 'program.mjs'],
      run: ['node', 'program.mjs'],
    },
  },
  java: {
    ...{ title: 'Java', extension: 'java', comment: '//', fence: 'java' },
    toolchain: {
      packages: ['openjdk-17-jdk-headless'],
      told: 'Java 17 or newer, without other packages; the class with main is Program',
      ...{ file: 'Program.java', built: '*.class' },
      compile: ['javac', '-Xlint:all', '-d', '.', 'Program.java'],
      run: ['java', '-XX:+UseSerialGC', '-XX:MaxRAMPercentage=70', '-cp', '.', 'Program'],
    },
  },
  julia: {
    ...{ title: 'Julia', extension: 'jl', comment: '#', fence: 'julia' },
    toolchain: {
      packages: null,
      told: 'the Julia of its image',
      ...{ file: 'program.jl', built: 'program.jl', compile: [] },
      run: ['julia', '--startup-file=no', 'program.jl'],
    },
  },
  text: { title: 'Text', extension: 'txt', comment: '<!--', fence: '' },
} as const satisfies { readonly [name: string]: Language };

export type LanguageName = keyof typeof table;
export const LANGUAGES: { readonly [name in LanguageName]: Language } = table;
export const LANGUAGE_NAMES = Object.keys(table) as [LanguageName, ...LanguageName[]];

const OTHER_EXTENSIONS: { readonly [extension: string]: LanguageName } = { cc: 'cpp', cxx: 'cpp', js: 'javascript' };

/** By the extension of its file; undefined where that is none of a language here. */
export const languageOfFile = (path: string): LanguageName | undefined => {
  const extension = path.split('.').at(-1)!.toLowerCase();
  return (
    OTHER_EXTENSIONS[extension] ?? LANGUAGE_NAMES.find((name) => LANGUAGES[name].extension.toLowerCase() === extension)
  );
};

/** What task.yaml says of the language of a program that it names. */
export const languageKey = (path: string): { readonly language?: LanguageName } => {
  const language = languageOfFile(path) ?? 'python';
  return language === 'python' ? {} : { language };
};

/** The toolchain of a task's language; undefined where its programs are Python or no programs. */
export const toolchainOf = (language: LanguageName | undefined): Toolchain | undefined =>
  language === undefined ? undefined : LANGUAGES[language].toolchain;

/** The command that an image must have. */
export const toolOf = ({ compile, run }: Toolchain): string => (compile[0] ?? run[0])!;
