/** All limits of the server as a table in Markdown. */
export function renderLimits(): string;
