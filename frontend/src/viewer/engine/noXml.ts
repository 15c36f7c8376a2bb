/** Stands for a library that writes XML. vtk.js imports it, and the viewer never calls it. */
export const create = () => {
  throw new Error('The viewer writes no XML.');
};
