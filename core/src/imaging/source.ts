/** A file that is read in parts. */
export interface Source {
  size: number;
  read: (from: number, to: number) => Promise<Buffer>;
}
