/**
 * A table made of arrays, for the `from` of a statement: `unnest(...) as name(column, ...)`.
 *
 * The arrays are passed through sub-selects, which hides their lengths from the planner. Otherwise it would plan a
 * statement again whenever the arrays are short, in search of a better plan: for a single lookup that took three times
 * as long as the lookup itself, and for a commit longer than the commit.
 *
 * @param columns each `name type`, in the order of the parameters
 * @param first the number of the first one's parameter
 */
export function formatUnnest(name: string, columns: readonly string[], first = 1): string {
  const arrays = columns.map((column, index) => `(select $${first + index}::${column.split(' ')[1]}[])`);
  return `unnest(${arrays.join(', ')}) as ${name}(${columns.map((column) => column.split(' ')[0]).join(', ')})`;
}
