/** What the address of the flows keeps. */
export interface FlowsSearch {
  readonly symbol?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What of an address is that of the flows. */
export function readFlowsSearch({ symbol, from, until }: FlowsSearch): FlowsSearch {
  return {
    ...(symbol ? { symbol } : {}),
    ...(from && DAY.test(from) ? { from } : {}),
    ...(until && DAY.test(until) ? { until } : {}),
  };
}
