import type { ServerPayload } from '@lightbox/contract/events.js';
import { waitAfter } from '@lightbox/contract/reconnecting.js';
import type { ViewPointer, ViewState } from '@lightbox/contract/together/schemas.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewer } from '../auth/session';
import { socketAtom } from '../lib/connection';
import { fullName } from '../lib/format';
import { emit, mayTryAgain, stream } from '../lib/socket';
import { toast } from '../lib/toaster';
import { useConnected } from '../lib/useConnected';
import type { Pane } from './engine';
import { hear } from './heard';
import { paced } from './pace';
import { Pointing } from './pointing';

const nobody: readonly UserRef[] = [];
/** Without a sign of the person for this time, nothing is sent: a film that plays is no sign of life. */
const AWAY_MS = 60_000;

/** A person may look at a study, whose stack has more frames than this one: those frames are not here. */
function showIn(pane: Pane | undefined, state: ServerPayload<'view:state'>) {
  if (pane && state.frame <= pane.snapshot().frames) void pane.show(state);
}

interface Joining {
  onJoined: (people: readonly UserRef[]) => void;
  onRefused: () => void;
}

/** Joins those who look at an image, again and again while no server answers. Returns how to stop, which also leaves. */
function join(imageId: string, { onJoined, onRefused }: Joining): () => void {
  let here = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = (tries: number): Promise<void> =>
    emit<'view:join', { people: UserRef[] }>('view:join', { imageId }).then(
      ({ people }) => {
        if (here) onJoined(people);
      },
      (error) => {
        if (!here) return;
        // A connection that broke, or a server that is slow, has refused nothing.
        if (mayTryAgain(error)) timer = setTimeout(() => ask(tries + 1), waitAfter(tries));
        else onRefused();
      },
    );
  void ask(0);
  return () => {
    here = false;
    clearTimeout(timer);
    emit('view:leave', { imageId }).catch(() => undefined);
  };
}

/**
 * Sends the view of the own pane while it changes, until a person is away. `again` sends it once more, for people who
 * have just come; `acted` is a sign of the person.
 */
function useOwnView(imageId: string | undefined, pane: Pane | undefined, sends: boolean) {
  const active = useRef(Date.now());
  /** The state that was sent last, and how to look whether there is another. */
  const sent = useRef('');
  const look = useRef(() => {});
  useEffect(() => {
    if (!sends || !pane || !imageId) return;
    const sender = paced<ViewState>((state) => stream('view:state', state));
    look.current = () => {
      const view = Date.now() - active.current < AWAY_MS ? pane.view() : undefined;
      const text = JSON.stringify(view);
      if (!view || text === sent.current) return;
      sent.current = text;
      sender.push({ imageId, ...view });
    };
    sent.current = '';
    look.current();
    const stop = pane.subscribe(() => look.current());
    return () => {
      look.current = () => {};
      stop();
      sender.stop();
    };
  }, [sends, pane, imageId]);
  const again = useCallback(() => {
    sent.current = '';
    look.current();
  }, []);
  const acted = useCallback(() => {
    active.current = Date.now();
  }, []);
  return { again, acted };
}

/** Returns how to show the own pointer to the others. With `draw` it draws a line. */
function useOwnPointer(
  imageId: string | undefined,
  pane: Pane | undefined,
  sends: boolean,
  me: string,
  pointing: Pointing,
) {
  const pointer = useMemo(() => paced<ViewPointer>((place) => stream('view:pointer', place)), []);
  useEffect(() => () => pointer.stop(), [pointer]);
  return useCallback(
    (place: readonly [number, number], draw: boolean) => {
      const pixel = sends ? pane?.pixelAt(place) : undefined;
      const frame = pane?.snapshot().frame;
      if (!pixel || !frame || !imageId) return;
      const [x, y] = pixel.map((value) => Math.round(value * 10) / 10) as [number, number];
      const event = { imageId, frame, x, y, ...(draw ? { draw } : {}) };
      pointer.push(event);
      if (draw) pointing.moved({ ...event, userId: me });
      else pointing.lift(me);
    },
    [sends, pane, imageId, pointer, pointing, me],
  );
}

export type Together = ReturnType<typeof useTogether>;

/** Looking at an image together with others: who is here, whom one follows, and the pointers of all. */
export function useTogether(imageId: string | undefined, pane: Pane | undefined, wanted: boolean) {
  const { t } = useTranslation();
  const me = useViewer().id;
  const connected = useAtomValue(socketAtom) === 'on';
  const hears = useConnected();
  const [on, setOn] = useState(wanted);
  const [joined, setJoined] = useState(false);
  const [all, setAll] = useState(nobody);
  const [following, setFollowing] = useState<string>();
  const [said, setSaid] = useState('');
  const pointing = useMemo(() => new Pointing(), []);
  const states = useRef(new Map<string, ServerPayload<'view:state'>>());
  const live = on && joined && connected;
  const others = useMemo(() => (on ? all.filter(({ id }) => id !== me) : nobody), [on, all, me]);
  const known = useRef(nobody);
  const isHeard = live && others.length > 0;

  // A new connection joins again: the server knows that it is the same look.
  useEffect(() => {
    if (!on || !connected || !imageId) return;
    const stop = hear({
      'view:people': (payload) => payload.imageId === imageId && setAll(payload.people),
      'view:state': (payload) => {
        if (payload.imageId !== imageId || payload.userId === me) return;
        states.current.set(payload.userId, payload);
        setFollowing((id) => {
          if (id === payload.userId) showIn(pane, payload);
          return id;
        });
      },
      'view:pointer': (payload) => payload.imageId === imageId && payload.userId !== me && pointing.moved(payload),
    });
    const leave = join(imageId, {
      onJoined: (people) => {
        setAll(people);
        setJoined(true);
      },
      onRefused: () => {
        setOn(false);
        toast.error(t('viewer.together.refused'));
      },
    });
    return () => {
      stop();
      leave();
      setJoined(false);
    };
  }, [on, connected, imageId, me, pane, pointing, t]);

  useEffect(() => {
    if (on) return;
    setAll(nobody);
    setFollowing(undefined);
    states.current.clear();
    pointing.clear();
  }, [on, pointing]);
  useEffect(() => () => pointing.clear(), [pointing]);

  const { again, acted } = useOwnView(imageId, pane, isHeard && !following);
  const point = useOwnPointer(imageId, pane, isHeard, me, pointing);

  // Says who came and who left.
  useEffect(() => {
    const before = known.current;
    known.current = others;
    const came = others.filter(({ id }) => !before.some((one) => one.id === id));
    const left = before.filter(({ id }) => !others.some((one) => one.id === id));
    for (const { id } of left) {
      states.current.delete(id);
      pointing.remove(id);
    }
    setFollowing((id) => (left.some((one) => one.id === id) ? undefined : id));
    const sentences = [
      ...came.map((person) => t('viewer.together.came', { name: fullName(person) })),
      ...left.map((person) => t('viewer.together.left', { name: fullName(person) })),
    ];
    if (sentences.length > 0) setSaid(sentences.join(' '));
    // A person who has just come has no state of this pane yet.
    if (came.length > 0) again();
  }, [others, pointing, t, again]);

  const nameOf = useCallback((id: string) => fullName(all.find((one) => one.id === id) ?? {}), [all]);
  const follow = (id: string | undefined) => {
    setFollowing(id);
    if (id) {
      setSaid(t('viewer.together.follows', { name: nameOf(id) }));
      const state = states.current.get(id);
      if (state) showIn(pane, state);
    } else if (following) setSaid(t('viewer.together.alone', { name: nameOf(following) }));
  };
  return {
    on,
    toggle: () => setOn((now) => !now),
    me,
    others,
    /** True while there is no connection, or the server has not taken this person in yet. */
    lost: on && !(live && hears),
    following,
    follow,
    said,
    pointing,
    point,
    nameOf,
    /** Call it for each act of the person. */
    acted,
  };
}
