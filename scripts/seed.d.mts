export function seedOf(env: Readonly<Record<string, string | undefined>>): number;
