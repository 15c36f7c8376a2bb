import { FREQUENT_WORD, RARE_MODALITY, RARE_WORD } from './images.js';
import { RARE_CHAT_WORD } from './messages.js';
import { RARE_NAME } from './people.js';
import type { Viewer, World } from './world.js';

/** One read as a screen makes it. With a body it is a POST. */
export interface Ask {
  name: string;
  viewer: Viewer;
  path: string;
  body?: object;
  /** A list by pages: its first, middle and last page are measured. */
  paged?: true;
}

type Search = Record<string, string>;

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const timeZone = 'Europe/Vienna';

/** Every read of every screen that a long list could make slow, with the ids of this world. */
export function asksOf(world: World): Ask[] {
  return [
    ...gallery(world),
    ...searches(world),
    ...oneImage(world),
    ...chats(world),
    ...people(world),
    ...logs(world),
    ...rest(world),
  ];
}

function gallery({ people: { owner, recipient, admin } }: World): Ask[] {
  const list = (name: string, viewer: Viewer, path: string): Ask => ({ name, viewer, path, paged: true });
  const months = (viewer: Viewer, list: string): Ask => ({
    ...{ name: `months of ${list} images`, viewer, path: '/upload/months' },
    body: { list, search: {}, timeZone },
  });
  const place = (days: number): Ask => ({
    ...{ name: `place of a month, ${days} days ago`, viewer: owner, path: '/upload/place' },
    body: { list: 'uploaded', search: {}, limit: 10, at: `${daysAgo(days)}T00:00:00.000Z` },
  });
  return [
    list('my images', owner, '/upload/my-images'),
    list('my images, grouped, not shared', owner, '/upload/my-images?grouped=true&shared=false'),
    list('my images, grouped, shared', owner, '/upload/my-images?grouped=true&shared=true'),
    list('all images', admin, '/upload/images'),
    list('all images, grouped, not shared', admin, '/upload/images?grouped=true&shared=false'),
    list('all images, grouped, shared', admin, '/upload/images?grouped=true&shared=true'),
    list('shared images', recipient, '/upload/shared-images'),
    list('shared images, grouped', recipient, '/upload/shared-images?grouped=true'),
    months(owner, 'uploaded'),
    months(recipient, 'shared'),
    place(10),
    place(85),
    place(165),
  ];
}

function searches({ people: { owner, recipient, admin }, samples }: World): Ask[] {
  const by = (name: string, body: Search, viewer = owner): Ask => ({
    ...{ name: `search: ${name}`, viewer, path: '/upload/search', body },
  });
  return [
    by('rare word', { text: RARE_WORD }),
    by('frequent word', { text: FREQUENT_WORD }),
    by('first letter', { text: FREQUENT_WORD.slice(0, 1) }),
    by('frequent and rare word', { text: `${FREQUENT_WORD} ${RARE_WORD}` }),
    by('two frequent words', { text: `${FREQUENT_WORD} hand` }),
    by('no such word', { text: 'xylophone' }),
    by('name of a patient', { text: RARE_NAME }),
    by('one patient', { patientId: samples.patientOfImage }),
    by('frequent modality', { modality: 'CT' }),
    by('rare modality', { modality: RARE_MODALITY }),
    by('rare kind', { kind: 'pdf' }),
    by('a week five months ago', { from: daysAgo(160), to: daysAgo(153) }),
    by('frequent word, a week five months ago', { text: FREQUENT_WORD, from: daysAgo(160), to: daysAgo(153) }),
    by('not verified', { state: 'notVerified' }),
    by('ends soon', { state: 'endsSoon' }),
    by('locked', { state: 'locked' }),
    by('frequent word, recipient', { text: FREQUENT_WORD }, recipient),
    by('rare kind, recipient', { kind: 'pdf' }, recipient),
    by('frequent word, all images', { text: FREQUENT_WORD }, admin),
    by('rare word, all images', { text: RARE_WORD }, admin),
    by('name of a patient, all images', { text: RARE_NAME }, admin),
    by('rare modality, all images', { modality: RARE_MODALITY }, admin),
    by('rare kind, all images', { kind: 'pdf' }, admin),
    by('a week five months ago, all images', { from: daysAgo(160), to: daysAgo(153) }, admin),
    by('not verified, all images', { state: 'notVerified' }, admin),
    by('ends soon, all images', { state: 'endsSoon' }, admin),
    by('locked, all images', { state: 'locked' }, admin),
  ];
}

function oneImage({ people: { owner }, samples }: World): Ask[] {
  const { shared, study, logged } = samples;
  return [
    { name: 'one image', viewer: owner, path: `/upload/image/${shared}` },
    { name: 'one study', viewer: owner, path: `/studies/${study}` },
    { name: 'shares of an image', viewer: owner, path: `/sharing?imageId=${shared}` },
    { name: 'invitations of an image', viewer: owner, path: `/sharing/invitations?imageId=${shared}` },
    { name: 'timeline of an image', viewer: owner, path: `/upload/image/${logged}/timeline`, paged: true },
    { name: 'known file', viewer: owner, path: `/upload/known?sha256=${'0'.repeat(64)}` },
  ];
}

function chats({ people: { owner, patient }, samples }: World): Ask[] {
  const chat = `/message/chat/${samples.partner}`;
  const search = (name: string, body: Search): Ask => ({
    ...{ name: `search in a chat: ${name}`, viewer: owner, path: `${chat}/search`, body },
  });
  return [
    { name: 'chat list', viewer: owner, path: '/message/chat-list' },
    { name: 'chat, newest messages', viewer: owner, path: chat },
    { name: 'chat, middle', viewer: owner, path: `${chat}?before=${samples.middleMessage}` },
    { name: 'chat, oldest messages', viewer: owner, path: `${chat}?before=${samples.oldMessage}` },
    { name: 'messages since', viewer: owner, path: '/message/since' },
    search('frequent word', { text: FREQUENT_WORD }),
    search('rare word', { text: RARE_CHAT_WORD }),
    search('rare word, middle', { text: RARE_CHAT_WORD, before: samples.middleMessage }),
    { name: 'chat list of a patient', viewer: patient, path: '/message/chat-list' },
  ];
}

function people({ people: { owner, admin, patient }, samples }: World): Ask[] {
  const list = (name: string, viewer: Viewer, path: string): Ask => ({ name, viewer, path, paged: true });
  return [
    list('people, for an administrator', admin, '/users?sort=name'),
    list('people, newest first', admin, '/users?sort=-createAt'),
    list('people who wait', admin, '/users?sort=name&role=healthProvider&status=pending'),
    list('people, for a provider', owner, '/users?sort=name'),
    list('people, for a patient', patient, '/users?sort=name'),
    { name: 'people by a rare name', viewer: owner, path: `/users?sort=name&search=${RARE_NAME}` },
    { name: 'people by a first letter', viewer: owner, path: '/users?sort=name&search=c' },
    { name: 'people by a whole name', viewer: owner, path: '/users?sort=name&search=patient17' },
    { name: 'one person', viewer: owner, path: `/users/${samples.patientOfImage}` },
  ];
}

function logs({ people: { owner, admin, patient }, samples }: World): Ask[] {
  const list = (name: string, viewer: Viewer, query: string): Ask => ({
    ...{ name: `log: ${name}`, viewer, path: `/audit/logs?${query}`, paged: true },
  });
  const range = `from=${daysAgo(100)}&to=${daysAgo(90)}`;
  return [
    list('all', admin, ''),
    list('without reads of lists', admin, 'lists=false'),
    list('a kind', admin, 'actiontype=image.upload'),
    list('refused', admin, 'status=denied'),
    list('a kind, refused', admin, 'actiontype=image.upload&status=denied'),
    list('ten days', admin, range),
    list('ten days, refused', admin, `${range}&status=denied`),
    list('sign-ins', admin, 'group=signIns'),
    list('administration', admin, 'group=administration'),
    list('looks', admin, 'group=looks'),
    list('a person', admin, `user=${owner.id}`),
    list('a person, shares', admin, `user=${owner.id}&group=shares`),
    list('an image', admin, `record=${samples.logged}`),
    list('people with a letter', admin, 'search=c'),
    list('people with a name', admin, 'search=healthprovider1'),
    list('own', owner, ''),
    list('own, without reads of lists', owner, 'lists=false'),
    list('own, a kind', owner, 'actiontype=image.upload'),
    list('own, looks', owner, 'group=looks'),
    list('own, people with a letter', owner, 'search=c'),
    { name: 'sign-ins of one’s own', viewer: owner, path: '/auth/history', paged: true },
    { name: 'disclosures of a patient', viewer: patient, path: '/users/profile/disclosures', paged: true },
  ];
}

const rest = ({ people: { owner, admin, patient, recipient } }: World): Ask[] => [
  { name: 'notices', viewer: owner, path: '/notifications', paged: true },
  { name: 'notices, unread', viewer: owner, path: '/notifications?unread=true' },
  { name: 'dashboard of an administrator', viewer: admin, path: '/admin/overview' },
  { name: 'numbers of an administrator', viewer: admin, path: '/stats' },
  { name: 'numbers of a provider', viewer: owner, path: '/stats' },
  { name: 'own profile', viewer: owner, path: '/users/profile' },
  { name: 'own sessions', viewer: owner, path: '/auth/sessions' },
  { name: 'carers', viewer: patient, path: '/carers' },
  { name: 'requests for images', viewer: recipient, path: '/requests' },
  { name: 'emergencies that wait', viewer: admin, path: '/emergencies/waiting' },
  { name: 'settings', viewer: admin, path: '/appsetting/' },
];
