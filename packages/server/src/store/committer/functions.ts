/** A call of a function of the database, by the names of its parameters; each connection plans it once. */
export function callOf(name: string, parameters: Readonly<Record<string, unknown>>) {
  const named = Object.keys(parameters).map((parameter, index) => `${parameter} => $${index + 1}`);
  return { name, text: `select * from ${name}(${named.join(', ')})`, values: Object.values(parameters) };
}
