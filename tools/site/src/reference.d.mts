export function makeReference(
  document: object,
): { readonly page: string; readonly title: string; readonly text: string }[];
