/** Runs a command. The process exits with 1 if it returns false or throws; a message is printed. */
export function runCommandLine(command: (args: string[]) => Promise<boolean | void>): void {
	command(process.argv.slice(2)).then(
		(isSuccess) => {
			process.exitCode = isSuccess === false ? 1 : 0;
		},
		(error: unknown) => {
			process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
			process.exitCode = 1;
		},
	);
}

/** Prints a line. */
export function say(line: string): void {
	process.stdout.write(`${line}\n`);
}
