export const siteFolder: string;
export function ensureSite(): void;
export function makeSiteBeside(): void;
