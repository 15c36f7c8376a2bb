import { prepareModels } from '@lightbox/core/models/prepare.js';
import { stepNames } from '@lightbox/core/models/upgrade.js';
import { fillImages } from './images.js';
import { fillLog, fillNotices } from './log.js';
import { fillMessages } from './messages.js';
import { fillPeople } from './people.js';
import type { People, Place, Samples, Size } from './world.js';

/**
 * Fills an empty database without indexes, and then makes the indexes as a start of the product does: that takes a
 * fraction of the time of filling with them.
 */
export async function fill(
  place: Place,
  size: Size,
  say: (line: string) => void,
): Promise<{ people: People; samples: Samples }> {
  const { models } = place;
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const start = Date.now();
    const made = await work();
    say(`  ${name}: ${((Date.now() - start) / 1000).toFixed(0)} s`);
    return made;
  };
  // A new installation has nothing to change.
  const doneAt = new Date();
  for (const name of stepNames) {
    await models.Task.create({ _id: `upgrade:${name}`, nextAt: doneAt, begunAt: doneAt, doneAt });
  }
  const people = await timed('people', () => fillPeople(place, size));
  const images = await timed('images, studies, shares and cards', () => fillImages(place, size, people));
  await timed('notices', () => fillNotices(place, size, people, images));
  const chats = await timed('messages', () => fillMessages(place, size, people));
  await timed('audit log', () => fillLog(place, size, people, images));
  await timed('indexes', () => prepareModels(models, (_, text) => say(text)));
  return {
    people,
    samples: {
      shared: String(images.shared),
      study: String(images.study),
      patientOfImage: String(images.patient),
      partner: String(chats.partner),
      middleMessage: String(chats.middle),
      oldMessage: String(chats.old),
      logged: String(images.shared),
    },
  };
}
