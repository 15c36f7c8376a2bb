import type { LanguageCode } from '@lightbox/contract/languages.js';
import type { Message } from '@lightbox/contract/messages/calls.js';
import type { ListSource } from '@lightbox/core/db/page.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { Gateway, Viewer } from '../../context.js';
import { presentMessages } from '../../messages/present.js';
import { namesOf } from '../names.js';
import { jsonArray } from './json.js';
import { escaped, pageEnd, pageStart, wordsOf } from './page.js';
import { voiceFile } from './voices.js';

/** Reads all messages of a person, the oldest first, with the names of the other people. */
async function* messagesOf(gateway: Gateway, viewer: Viewer) {
  const source: ListSource<MessageDoc> = {
    model: gateway.models.Message,
    filter: { members: viewer._id },
    sort: ['createAt', '_id'],
    direction: 1,
  };
  for await (const rows of gateway.pages.all(source)) {
    const name = await namesOf(
      gateway.models,
      rows.flatMap(({ sender, recipient }) => [sender, recipient]),
    );
    const person = (id: MessageDoc['sender']) => {
      const { firstname, lastname } = name(id);
      return `${firstname} ${lastname}`.trim();
    };
    const presented = await presentMessages(gateway, viewer, rows);
    yield presented.map((message, at) => {
      const { sender, recipient } = rows[at] as MessageDoc;
      return { ...message, from: person(sender), to: person(recipient) };
    });
  }
}

export const messagesAsJson = (gateway: Gateway, viewer: Viewer) => jsonArray(messagesOf(gateway, viewer));

const recording = (voice: Message['voice']): string => {
  if (!voice || voice.removed) return '';
  const file = voiceFile(voice.id, voice.contentType);
  return `<p><a href="${file}">${file}</a></p>`;
};

export async function* messagesAsPage(
  gateway: Gateway,
  viewer: Viewer,
  language: LanguageCode | undefined,
): AsyncGenerator<string> {
  const words = wordsOf(language);
  yield pageStart(words.messages, language);
  for await (const rows of messagesOf(gateway, viewer)) {
    yield rows
      .map(
        ({ from, to, createAt, content, voice }) =>
          `<article><p><b dir="auto">${escaped(from)}</b> → <b dir="auto">${escaped(to)}</b> <time>${createAt}</time></p><p dir="auto" class="text">${escaped(content)}</p>${recording(voice)}</article>\n`,
      )
      .join('');
  }
  yield pageEnd;
}
