/** True where the tables of access make every call, and no sample: in continuous integration, and with `ALL_CELLS=1`. */
export const allCells = process.env.ALL_CELLS !== undefined;
