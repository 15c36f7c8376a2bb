/** AE title (PS3.5 §6.2, VR AE): 1 to 16 printable characters without backslash, and no space at either end. */
export const aeTitle = /^(?! )[\x20-\x5b\x5d-\x7e]{1,16}(?<! )$/;
