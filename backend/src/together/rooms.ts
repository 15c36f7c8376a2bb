import type { ServerPayload, ServerToClient, ViewEvent } from '@lightbox/contract/events.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import type { StreamedEvent } from '@lightbox/contract/together/schemas.js';
import type { UserFacts } from '@lightbox/contract/users/policy.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import { findImage, requireImage } from '@lightbox/core/access/images.js';
import { maySeeUser, userFacts } from '@lightbox/core/access/users.js';
import { oid } from '@lightbox/core/db/ids.js';
import { Turns } from '@lightbox/core/db/turns.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { LiveUpdate } from '@lightbox/core/events/signals.js';
import type { Note, Together } from '@lightbox/core/realtime/together.js';
import { authorize } from '../auth/authorize.js';
import type { Gateway } from '../context.js';
import { seenImage } from '../images/imageBytes.js';
import { recordLeaving, recordLook } from '../images/looks.js';
import { type Client, roleRoom } from '../realtime/rooms.js';
import { presentRef } from '../users/present.js';

/** The access of the people of a room is read again after this time, and before anything is sent on an older check. */
const CHECK_MS = 1_000;
const MAX_AGE_MS = 1_500;
/** Each n-th check is also of rooms with one person, and renews the entries in Redis. */
const RENEW_EVERY = 3;
/** Packets that wait for a slow client. With more, it gets no pointers. */
const MOST_WAITING = 50;

/** Areas of live updates after which a person may have lost the access to an image. */
const areas: readonly string[] = ['share', 'image', 'study', 'emergency', 'request'];

interface Person {
  facts: UserFacts;
  ref: UserRef;
}

/** The people at this gateway who look at one image. */
interface Room {
  imageId: string;
  /** Each socket, and the people that were sent to it last. */
  sockets: Map<Client, { actor: Actor; sent: string }>;
  /** The people that each viewer may see, among all who look and may open the image. */
  seen: Map<string, ReadonlySet<string>>;
  checkedAt: number;
  running: Promise<void> | null;
  next: Promise<void> | null;
}

/**
 * Looking together at this gateway. A person who joins an image sees the others, their panes and their pointers, while
 * both may open it. Nothing of it is stored but that somebody looked.
 */
export class ViewRooms {
  private readonly rooms = new Map<string, Room>();
  private readonly timer: NodeJS.Timeout;
  /** A person joins and leaves one after the other: a leaving that still runs would remove the next join. */
  private readonly turns = new Turns();
  private checks = 0;

  constructor(
    private readonly gateway: Gateway,
    private readonly together: Together,
  ) {
    this.timer = setInterval(() => this.checkAll(), CHECK_MS);
  }

  join(socket: Client, actor: Actor, imageId: string): Promise<{ people: UserRef[] }> {
    return this.turns.run(socket.data.viewer.id, () => this.enter(socket, actor, imageId));
  }

  private async enter(socket: Client, actor: Actor, imageId: string): Promise<{ people: UserRef[] }> {
    const { viewer } = socket.data;
    const { gateway } = this;
    const access = await requireImage(gateway.models, viewer, imageId, 'open', gateway.clock.now());
    const joined = this.roomsOf(socket);
    if (!joined.some((room) => room.imageId === imageId)) {
      if (joined.length >= limits.viewsJoined) throw new AppError('TOO_MANY_REQUESTS');
      await recordLook({ gateway, viewer, actor }, 'image.view', seenImage(access));
    }
    if (!socket.connected) return { people: [] };
    const room = this.roomOf(imageId);
    if (!room.sockets.has(socket)) room.sockets.set(socket, { actor, sent: '' });
    await this.together.renew(imageId, [viewer.id]);
    this.together.tell(imageId, { name: 'people' });
    await this.check(room);
    const sent = room.sockets.get(socket)?.sent;
    if (!sent) throw new AppError('NOT_FOUND');
    return { people: JSON.parse(sent) as UserRef[] };
  }

  /** Leaves one image, or all that the socket has joined. */
  leave(socket: Client, imageId?: string): Promise<void> {
    return this.turns.run(socket.data.viewer.id, async () => {
      const rooms = this.roomsOf(socket).filter((room) => !imageId || room.imageId === imageId);
      await Promise.all(rooms.map((room) => this.remove(room, socket)));
    });
  }

  /** Sends the pane or the pointer of a person to all others who look at the image. */
  async stream(socket: Client, name: StreamedEvent, payload: { imageId: string }): Promise<void> {
    const { imageId, ...numbers } = payload;
    const room = this.rooms.get(imageId);
    if (!room?.sockets.has(socket)) throw new AppError('NOT_FOUND');
    const { viewer } = socket.data;
    this.together.tell(imageId, { name, from: viewer.id, numbers });
    await this.deliver(room, name, viewer.id, numbers, socket);
  }

  /** Checks the rooms of people whose access a live update may have ended. */
  noticed({ name, to }: LiveUpdate): void {
    if (this.rooms.size === 0 || !areas.includes(name.split(':')[0] ?? '')) return;
    const people = new Set(to);
    for (const room of this.rooms.values()) {
      const affected = [...room.sockets.keys()].some(
        ({ data: { viewer } }) => people.has(viewer.id) || people.has(roleRoom(viewer.role)),
      );
      if (affected) this.checkSoon(room);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    const all = [...this.rooms.values()].flatMap((room) =>
      [...room.sockets.keys()].map((socket) => ({ room, socket })),
    );
    await Promise.all(all.map(({ room, socket }) => this.remove(room, socket)));
    this.together.stop();
  }

  private roomsOf(socket: Client): Room[] {
    return [...this.rooms.values()].filter((room) => room.sockets.has(socket));
  }

  private roomOf(imageId: string): Room {
    const found = this.rooms.get(imageId);
    if (found) return found;
    const room: Room = {
      imageId,
      sockets: new Map(),
      seen: new Map(),
      checkedAt: Number.NEGATIVE_INFINITY,
      running: null,
      next: null,
    };
    this.rooms.set(imageId, room);
    this.together.listen(imageId, (id, note) => this.heard(id, note));
    return room;
  }

  private heard(imageId: string, note: Note): void {
    const room = this.rooms.get(imageId);
    if (!room) return;
    if (note.name === 'people') this.checkSoon(room);
    else this.deliver(room, note.name, note.from, note.numbers).catch((error) => this.failed(error));
  }

  private async deliver(
    room: Room,
    name: StreamedEvent,
    from: string,
    numbers: object,
    except?: Client,
  ): Promise<void> {
    if (room.sockets.size === 1 && except) return;
    if (performance.now() - room.checkedAt > MAX_AGE_MS) await this.check(room);
    for (const socket of room.sockets.keys()) {
      if (socket === except || !room.seen.get(socket.data.viewer.id)?.has(from)) continue;
      if (name === 'view:pointer' && isSlow(socket)) continue;
      emit(socket, name, { imageId: room.imageId, userId: from, ...numbers } as ServerPayload<typeof name>);
    }
  }

  private async remove(room: Room, socket: Client): Promise<void> {
    const { gateway } = this;
    const { viewer } = socket.data;
    const entry = room.sockets.get(socket);
    if (!entry) return;
    room.sockets.delete(socket);
    const stays = [...room.sockets.keys()].some(({ data }) => data.viewer.id === viewer.id);
    if (room.sockets.size === 0 && this.rooms.get(room.imageId) === room) {
      this.rooms.delete(room.imageId);
      this.together.ignore(room.imageId);
    }
    if (!stays) {
      await this.together.leave(room.imageId, viewer.id);
      this.together.tell(room.imageId, { name: 'people' });
    }
    if (room.sockets.size > 0) this.checkSoon(room);
    const image = await gateway.models.Image.findById(oid(room.imageId), { owner: 1 }).lean();
    if (image) await recordLeaving({ gateway, viewer, actor: entry.actor }, image);
  }

  private checkAll(): void {
    const isRenewal = ++this.checks % RENEW_EVERY === 0;
    for (const room of this.rooms.values()) {
      const people = new Set([...room.seen.values()].flatMap((seen) => [...seen]));
      if (isRenewal) void this.together.renew(room.imageId, localPeople(room));
      if (isRenewal || people.size > 1) this.checkSoon(room);
    }
  }

  private checkSoon(room: Room): void {
    this.check(room).catch((error) => this.failed(error));
  }

  private failed(error: unknown): void {
    this.gateway.warn(error, 'the people who look at an image were not read; it is tried again');
  }

  /** Reads the people who look and may open the image. The result is newer than the call: a running check is not taken for it. */
  private check(room: Room): Promise<void> {
    room.next ??= (room.running ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        room.next = null;
        room.running = this.read(room);
        return room.running;
      });
    return room.next;
  }

  private async read(room: Room): Promise<void> {
    const { gateway } = this;
    const began = performance.now();
    // A person who joins from here on is not among the people that are read: the check of that join reads again.
    const sockets = [...room.sockets];
    const ids = new Set([...localPeople(room), ...(await this.together.people(room.imageId))]);
    const found = await gateway.elections.steady<(Person | null)[]>(() =>
      Promise.all([...ids].map((id) => this.personOf(room.imageId, id))),
    );
    const people = found.filter((person) => person !== null).sort(byName);
    const allowed = new Map(people.map((person) => [person.ref.id, person]));
    const refused = new Set<string>();
    for (const [{ data }] of sockets) {
      const { viewer } = data;
      const self = (await mayRead(gateway, viewer)) ? allowed.get(viewer.id) : undefined;
      if (!self) refused.add(viewer.id);
      else room.seen.set(viewer.id, await this.seenBy(self, people));
    }
    room.checkedAt = began;
    for (const [socket, entry] of sockets) {
      const { viewer } = socket.data;
      if (room.sockets.get(socket) !== entry) continue;
      if (refused.has(viewer.id)) {
        room.seen.delete(viewer.id);
        this.remove(room, socket).catch((error) => this.failed(error));
        continue;
      }
      const list = people.filter(({ ref }) => room.seen.get(viewer.id)?.has(ref.id)).map(({ ref }) => ref);
      const sent = JSON.stringify(list);
      if (sent === entry.sent) continue;
      entry.sent = sent;
      emit(socket, 'view:people', { imageId: room.imageId, people: list });
    }
  }

  /** Returns the person if the account is usable and may open the image now. */
  private async personOf(imageId: string, id: string): Promise<Person | null> {
    const { gateway } = this;
    const user = await gateway.readUser(oid(id));
    if (!isUsable(user)) return null;
    const access = await findImage(gateway.models, { id, role: user.role }, imageId, gateway.clock.now());
    if (!access || !imageRules.open({ id, role: user.role }, access.facts)) return null;
    return { facts: userFacts(user), ref: presentRef(user, id) };
  }

  /** Nobody learns here of a person whom they do not find in the directory, as two patients of one image. */
  private async seenBy(self: Person, people: readonly Person[]): Promise<ReadonlySet<string>> {
    const seen = await Promise.all(
      people.map(async ({ facts }) => ((await maySeeUser(this.gateway, self.facts, facts)) ? [facts.id] : [])),
    );
    return new Set(seen.flat());
  }
}

const localPeople = (room: Room): string[] => [...new Set([...room.sockets.keys()].map(({ data }) => data.viewer.id))];

const byName = ({ ref: a }: Person, { ref: b }: Person): number =>
  a.lastname.localeCompare(b.lastname) || a.firstname.localeCompare(b.firstname) || a.id.localeCompare(b.id);

const mayRead = (gateway: Gateway, viewer: Client['data']['viewer']): Promise<boolean> =>
  authorize(gateway, viewer, 'image.read').then(
    () => true,
    (error) => {
      if (error instanceof AppError && error.status < 500) return false;
      throw error;
    },
  );

const isSlow = ({ conn }: Client): boolean =>
  (conn as unknown as { writeBuffer: unknown[] }).writeBuffer.length > MOST_WAITING;

const emit = <E extends ViewEvent>(socket: Client, name: E, payload: ServerPayload<E>) =>
  socket.emit(name, ...([payload] as Parameters<ServerToClient[E]>));
