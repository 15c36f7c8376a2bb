/**
 * Returns the text with control characters, and those that turn the direction of writing, as escapes. A caption, the name
 * of a file or an error of the server could otherwise move the cursor of a terminal. JSON keeps its meaning.
 */
const plain = (text: string): string =>
  text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const say = (line: string): void => void process.stdout.write(`${plain(line)}\n`);
export const complain = (line: string): void => void process.stderr.write(`${plain(line)}\n`);

// The reader of the lines has gone, as `head` does. Nobody needs the rest.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit());
