import { type AuditFormat, auditCalls } from '@lightbox/contract/audit/calls.js';
import type { QueryInput } from '@lightbox/contract/call.js';
import { keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import { download, send } from '../lib/http';
import { datedName, saveBlob } from '../lib/save';

export const auditLog = (query: QueryInput<typeof auditCalls.listAudit>) =>
  queryOptions({
    queryKey: ['audit', 'list', query],
    queryFn: ({ signal }) => send(auditCalls.listAudit, { query }, { signal }),
    placeholderData: keepPreviousData,
    // The log grows all the time, and its readers want the newest entries.
    staleTime: 0,
  });

export type AuditExport = QueryInput<typeof auditCalls.exportAudit>;
const endings: Record<AuditFormat, string> = { csv: 'csv', fhir: 'fhir.json' };

/** Downloads the log as a file. The server records the export. */
export const useExportAudit = (fallback: string) =>
  useMutation({
    mutationFn: async (query: AuditExport & { format: AuditFormat }) =>
      saveBlob(await download(auditCalls.exportAudit, { query }), datedName('audit-log', endings[query.format])),
    meta: { fallback },
  });

/** Makes the server verify the whole chain, only when an administrator requests it. */
export const useVerifyChain = (fallback: string) =>
  useMutation({
    mutationFn: async () => ({ ...(await send(auditCalls.verifyAudit, {})).data, at: Date.now() }),
    meta: { fallback },
  });
