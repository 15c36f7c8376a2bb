import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useRef } from 'react';
import { store } from '../lib/store';
import type { Person } from '../users/PersonSearch';
import { addUploads, cancelGroup, leaveToTray, retryUploads } from './queue';
import { fromFile } from './sources';
import { isUnderWay, trayAtom } from './tray';

export interface UploadInput {
  file: File;
  caption: string;
  patient: Person | undefined;
}

const isSame = (a: UploadInput, b: UploadInput) =>
  a.file === b.file && a.caption === b.caption && a.patient?.id === b.patient?.id;

/** Uploads the one file of the form through the queue. The upload continues in the tray when the form is left. */
export function useUpload() {
  const last = useRef<{ input: UploadInput; groupId: string }>(undefined);
  const tray = useAtomValue(trayAtom, { store });
  const item = tray.items.find(({ groupId }) => groupId === last.current?.groupId);
  const group = tray.groups.find(({ id }) => id === last.current?.groupId);

  useEffect(
    () => () => {
      const groupId = last.current?.groupId;
      if (!groupId) return;
      const left = store.get(trayAtom).items.find((one) => one.groupId === groupId);
      if (left && isUnderWay(left)) leaveToTray(groupId);
      else cancelGroup(groupId);
    },
    [],
  );

  const drop = useCallback(() => {
    if (last.current) cancelGroup(last.current.groupId);
    last.current = undefined;
  }, []);

  /** `again`: the person wants the file although they have it already. */
  const start = (input: UploadInput, again = false) => {
    const before = last.current;
    const isRetry = before && item?.state === 'failed' && isSame({ ...before.input, patient: group?.patient }, input);
    if (isRetry) return retryUploads(item.id);
    drop();
    const { file, caption, patient } = input;
    const files = [{ source: fromFile(file), caption }];
    last.current = { input, groupId: addUploads({ title: caption, patient, files, attended: true, again }) };
  };

  return {
    item,
    /** The upload with the patient that it has now: a person may have chosen another one when the file named another. */
    group,
    start,
    drop,
    /** The file that the form sent last. The form may show another one by now. */
    file: last.current?.input.file,
    isPending: item !== undefined && isUnderWay(item),
    waitingFor: tray.waitingFor,
  };
}
