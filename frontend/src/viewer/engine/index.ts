/** The part of the viewer that needs the imaging library: a chunk of its own, loaded with the first picture. */

export { watchArrows } from './arrows';
export { drawnMarks, setText, showMarks, textAt } from './marks';
export { type Measure, measuresOf, removeMeasure } from './measures';
export { Pane } from './pane';
export { loadedOf, planesOf, volumeOf } from './reformat';
export { registerFacts } from './registry';
export { forgetPixels, listen, start, use } from './start';
export { cancelMeasure, choose, measureTools, referTo } from './tools';
export { watchMeasures } from './watchMeasures';
