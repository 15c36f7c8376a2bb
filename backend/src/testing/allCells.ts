/**
 * True where the tables of access make every call, and those of lists have every order, and no sample: in continuous
 * integration, and with `ALL_CELLS=1`.
 */
export const allCells = process.env.ALL_CELLS !== undefined;
