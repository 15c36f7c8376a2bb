import { atom } from 'jotai';
import { store } from '../lib/store';
import type { Person } from '../users/PersonSearch';

/**
 * The state of the uploads as the screens show it. The queue changes it; this file has no other code, because every
 * signed-in screen loads it.
 */
export type ItemState =
  /** Waits for its turn. */
  | 'waiting'
  /** Is read, to find out whether it is stored already. */
  | 'checking'
  | 'sending'
  /** All bytes are sent; the server checks the file. */
  | 'storing'
  | 'done'
  /** The person has this file already, and was not asked yet. */
  | 'known'
  /** The file names another patient: the person decides for the whole group. */
  | 'held'
  | 'failed';

export interface Item {
  id: string;
  groupId: string;
  name: string;
  caption: string;
  size: number;
  state: ItemState;
  /** The share that was sent, 0…1. */
  progress: number;
  /** The stored image, or the one that is known. */
  imageId?: string | undefined;
  /** The reason of a failure. */
  error?: unknown;
}

/** The patient that a file itself names. It is shown to the person who chose the file, and goes nowhere else. */
export interface NamedPatient {
  name?: string | undefined;
  birthDate?: string | undefined;
  sex?: string | undefined;
}

export interface Group {
  id: string;
  title: string;
  patient?: Person | undefined;
  named?: NamedPatient | undefined;
  /** The fields of the files that contradict the chosen patient, until the person has decided. */
  mismatch?: string[] | undefined;
  /** True while a form shows the upload itself. */
  attended: boolean;
}

export interface Tray {
  groups: Group[];
  items: Item[];
  paused: boolean;
  /** The queue continues by itself when the server is reached again, or accepts more files. */
  waitingFor?: 'connection' | 'limit' | undefined;
}

export const emptyTray: Tray = { groups: [], items: [], paused: false };
export const trayAtom = atom<Tray>(emptyTray);

/** The group about whose patient a dialog asks. */
export const askedGroupAtom = atom<string>();

/** True while a file is on its way, so that closing the page would end it. */
export const isUnderWay = ({ state }: Item) => ['waiting', 'checking', 'sending', 'storing', 'held'].includes(state);
export const needsPerson = ({ state }: Item) => ['failed', 'known', 'held'].includes(state);

/** True when the list of files is shown, false when only the line with the total is. */
export const trayOpenAtom = atom(false);
export const showTray = () => store.set(trayOpenAtom, true);
