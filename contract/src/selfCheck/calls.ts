import { z } from 'zod';
import { call } from '../call.js';
import { SelfCheckReport } from './report.js';

export const selfCheckCalls = {
  getSelfCheck: call({
    method: 'get',
    path: '/admin/self-check',
    who: 'selfCheck.run',
    action: 'overview.read',
    summary: 'The report of the last self-check; null before the first one',
    data: SelfCheckReport.nullable(),
  }),
  runSelfCheck: call({
    method: 'post',
    path: '/admin/self-check',
    who: 'selfCheck.run',
    action: 'overview.checked',
    summary:
      'Check access rules, audit log, keys, backup, clocks, queues, mail, DICOM receiver, space, versions and encryption now',
    body: z.strictObject({}),
    data: SelfCheckReport,
  }),
};
