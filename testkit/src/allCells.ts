/** True where tables make every call, and journeys every look, and no sample: in continuous integration, and with `ALL_CELLS=1`. */
export const allCells = process.env.ALL_CELLS !== undefined;
