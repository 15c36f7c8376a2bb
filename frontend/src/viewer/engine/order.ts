import { annotation } from '@cornerstonejs/tools';

const numbers = new Map<string, number>();

/** Returns the number of an annotation, in the order in which they were made. One without a number gets the next. */
export function numberOf(uid: string): number {
  const number = numbers.get(uid) ?? numbers.size;
  numbers.set(uid, number);
  return number;
}

/** Returns all annotations in the order in which they were made. The library groups them by tool. */
export const annotationsInOrder = () =>
  annotation.state
    .getAllAnnotations()
    .map((one) => ({ one, number: numberOf(one.annotationUID ?? '') }))
    .sort((a, b) => a.number - b.number)
    .map(({ one }) => one);
