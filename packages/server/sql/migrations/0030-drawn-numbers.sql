-- Servers that know 0029 may serve beside it.
-- Draws numbers of a sequence for rows of a ledger, and returns the least. In a cluster those of the node that has the ledger count
-- (decision 0052).
create function draw_numbers_1(ledger bigint, sequence text, many int) returns bigint language plpgsql as $$
begin
  return (select min(nextval(sequence::regclass)) from generate_series(1, many));
end
$$;
