/** The folder of the repository. */
export const root: string;
/** Tells what a script is doing, on the standard error. */
export function say(text: string): void;
