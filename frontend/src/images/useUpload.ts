import { imageCalls } from '@lightbox/contract/images/calls.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, send } from '../lib/http';
import { toast } from '../lib/toaster';
import { uuid } from '../lib/uuid';
import { refreshLists } from './cache';

export interface UploadInput {
  file: File;
  caption: string;
  patientId: string | undefined;
}

const isSame = (a: UploadInput, b: UploadInput) =>
  a.file === b.file && a.caption === b.caption && a.patientId === b.patientId;

/** True when the upload may have arrived in spite of the error. A retry with the same idempotency key is then safe. */
const isUnsure = (error: unknown) => !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

/** Uploads one image. The upload continues when the user opens another screen. */
export function useUpload() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const attempt = useRef<{ input: UploadInput; key: string }>(undefined);
  const running = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState(0);

  const mutation = useMutation({
    mutationFn: (input: UploadInput) => {
      if (!attempt.current || !isSame(attempt.current.input, input)) {
        attempt.current = { input, key: uuid() };
      }
      running.current = new AbortController();
      setProgress(0);
      const body = new FormData();
      body.set('caption', input.caption);
      if (input.patientId) body.set('patientId', input.patientId);
      body.set('file', input.file);
      return send(
        imageCalls.uploadImage,
        { body },
        { onProgress: setProgress, signal: running.current.signal, idempotencyKey: attempt.current.key },
      );
    },
    meta: { silent: true },
    onSuccess: (_, { caption, patientId }) => {
      attempt.current = undefined;
      toast.success(t('images.form.done'), { description: caption });
      refreshLists(cache, patientId ? undefined : 'uploaded');
    },
    onError: (error) => {
      if (!isUnsure(error)) attempt.current = undefined;
    },
  });
  const cancel = useCallback(() => running.current?.abort(), []);
  return { ...mutation, progress, cancel };
}

export const wasCancelled = (error: unknown) => (error as Error | null)?.name === 'AbortError';
