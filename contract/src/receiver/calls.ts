import { z } from 'zod';
import { call } from '../call.js';
import { Id, Params, Time } from '../ids.js';
import { limits } from '../limits.js';
import { texts } from '../texts.js';
import { aeTitle } from './aeTitle.js';

/** An address, or a range of them as in 10.1.2.0/24. */
const Addresses = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: texts.addressOrRange });

/** A device or an archive that may send files by DICOM, and the owner of what it sends. */
export const DicomNodeFields = z.strictObject({
  title: z.string().trim().regex(aeTitle, texts.aeTitle),
  /** Empty: from any address. */
  addresses: z.array(Addresses).max(limits.nodeAddresses),
  userId: Id,
});

export const DicomNode = z.object({
  id: Id,
  title: z.string(),
  addresses: z.array(z.string()),
  user: z.object({ id: Id, firstname: z.string(), lastname: z.string() }),
  /** False: the account may not upload any more, so the receiver refuses the device. */
  accepted: z.boolean(),
  createAt: Time,
  /** Time of its last association. */
  lastSeenAt: Time.optional(),
});
export type DicomNode = z.infer<typeof DicomNode>;

export const receiverCalls = {
  listDicomNodes: call({
    method: 'get',
    path: '/dicom-nodes',
    who: 'dicomNode.manage',
    action: 'dicomNode.listed',
    summary: 'The devices that may send files by DICOM',
    data: z.array(DicomNode),
  }),
  createDicomNode: call({
    method: 'post',
    path: '/dicom-nodes',
    who: 'dicomNode.manage',
    action: 'dicomNode.created',
    stepUp: 'recent',
    summary: 'Bind an AE title to an account, which owns what that device sends',
    body: DicomNodeFields,
    data: DicomNode,
    status: 201,
    fails: ['CONFLICT'],
    throttles: ['securityChange'],
  }),
  changeDicomNode: call({
    method: 'put',
    path: '/dicom-nodes/:id',
    who: 'dicomNode.manage',
    action: 'dicomNode.changed',
    stepUp: 'recent',
    summary: 'Change the AE title, the addresses and the account of a device',
    params: Params,
    body: DicomNodeFields,
    data: DicomNode,
    fails: ['CONFLICT'],
    throttles: ['securityChange'],
  }),
  deleteDicomNode: call({
    method: 'delete',
    path: '/dicom-nodes/:id',
    who: 'dicomNode.manage',
    action: 'dicomNode.removed',
    summary: 'Refuse the files of a device from now on; what it sent stays',
    params: Params,
  }),
};
