import { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import type { AnalysisAnswer, AnalysisResult } from '@lightbox/contract/analysis/schemas.js';
import type { BodyInput } from '@lightbox/contract/call.js';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { currentCode } from '../i18n';
import { ApiError, download, send } from '../lib/http';
import { put, reread } from '../lib/live';
import { datedName, saveBlob } from '../lib/save';
import { beforeKey, keyOf, versionsKey } from './analysis';

export type Completed = Extract<AnalysisAnswer, { status: 'completed' }>;

/** A text that a signature may change, one entry on each line. */
export const listFields = ['warnings', 'treatment', 'followUp'] as const;

export const versionsOf = (imageId: string) =>
  queryOptions({
    queryKey: versionsKey(imageId),
    queryFn: async ({ signal }) =>
      (await send(analysisCalls.listAnalysisVersions, { params: { imageId } }, { signal })).data,
  });

export const previousOf = (imageId: string) =>
  queryOptions({
    queryKey: beforeKey(imageId),
    queryFn: async ({ signal }) =>
      (await send(analysisCalls.getPreviousAnalysis, { params: { imageId } }, { signal })).data,
  });

/** Signs or withdraws, and shows the answer at once. After a conflict the newer state is read. */
export function useReview(imageId: string) {
  const cache = useQueryClient();
  const after = (answer: AnalysisAnswer) => {
    put(cache, keyOf(imageId), answer);
    void reread(cache, versionsKey(imageId));
  };
  const onError = (error: unknown) => {
    if (error instanceof ApiError && error.status === 409) void reread(cache, keyOf(imageId));
  };
  const params = { imageId };
  const sign = useMutation({
    mutationFn: async (body: BodyInput<typeof analysisCalls.signAnalysis>) =>
      (await send(analysisCalls.signAnalysis, { params, body })).data,
    onSuccess: after,
    onError,
  });
  const withdraw = useMutation({
    mutationFn: async (body: BodyInput<typeof analysisCalls.withdrawAnalysis>) =>
      (await send(analysisCalls.withdrawAnalysis, { params, body })).data,
    onSuccess: after,
    onError,
  });
  return { sign, withdraw };
}

/** Downloads the report in the language of the screen. */
export function useReport(imageId: string) {
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async () => {
      const query = { language: currentCode() };
      const pdf = await download(analysisCalls.getAnalysisReport, { params: { imageId }, query });
      saveBlob(pdf, datedName('second-opinion', 'pdf'));
    },
    meta: { fallback: t('analysis.review.reportFailed') },
  });
}

/** One condition in two analyses; null where one of them does not name it. */
export interface Compared {
  condition: string;
  before: number | null;
  now: number | null;
}

type Diagnosed = Pick<AnalysisResult, 'differentialDiagnosis'>;

/** Pairs the conditions of two analyses by their names, without case. Those of the newer one come first. */
export function compare(before: Diagnosed, now: Diagnosed): Compared[] {
  const rows = new Map<string, Compared>();
  for (const [when, { differentialDiagnosis }] of [['now', now] as const, ['before', before] as const]) {
    for (const { condition, confidence } of differentialDiagnosis) {
      const name = condition.trim().toLowerCase();
      const row = rows.get(name) ?? { condition, before: null, now: null };
      rows.set(name, { ...row, [when]: confidence });
    }
  }
  return [...rows.values()];
}
