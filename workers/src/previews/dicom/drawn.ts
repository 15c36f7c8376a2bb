/** A picture of 8 bits: one channel for greys, three for colours. */
export interface Drawn {
  width: number;
  height: number;
  channels: 1 | 3;
  pixels: Uint8Array;
}
