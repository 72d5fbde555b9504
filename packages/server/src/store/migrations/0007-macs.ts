/**
 * The authentication code of each version, made when it is stored (decision 0018). What earlier releases stored has none.
 */
export const sql = `
alter table change add column mac text collate "C";
`;
