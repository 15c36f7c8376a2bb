import { dataSetIn, firstValue } from '@lightbox/core/dicomWeb/json.js';
import { AppError } from '@lightbox/core/errors.js';
import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import type { Gateway } from '../context.js';
import { storeInstance } from '../dicomWeb/storeInstance.js';
import { asAppError } from '../http/errors.js';
import { quotaOf, storeFile } from '../images/storeImage.js';
import type { Arriving, Reply } from './association.js';
import { Status } from './command.js';
import { actorOf, admitNode } from './nodes.js';
import { fileHeader } from './part10.js';
import { ProtocolFault } from './pdu.js';
import { ConnectionEnded } from './wire.js';

const UID = /^[\d.]{1,64}$/;

const comments: Partial<Record<Status, string>> = {
  [Status.processing]: 'The file could not be processed.',
  [Status.duplicate]: 'Another file with this SOP Instance UID is stored.',
  [Status.notAuthorized]: 'This device may not store.',
  [Status.outOfResources]: 'Too large, too many, or no room.',
  [Status.otherIdentity]: 'The data set is of another SOP class or instance.',
  [Status.notUnderstood]: 'Not a readable DICOM data set with its UIDs.',
};

const replyWith = (status: Status): Reply => {
  const comment = comments[status];
  return { status, ...(comment ? { comment } : {}) };
};

/** A sender: the AE title by which it was admitted, and its address. */
export interface Sender {
  title: string;
  address: string;
}

/**
 * Stores one data set as the file that its sender has, behind a header of its own. Success is answered when the record of
 * the image is on a majority.
 */
export async function receiveInstance(gateway: Gateway, sender: Sender, arriving: Arriving): Promise<Reply> {
  const { command, dataSet, transferSyntax } = arriving;
  const { sopClass, sopInstance } = command;
  if (!UID.test(sopClass) || !UID.test(sopInstance)) return replyWith(Status.notUnderstood);
  try {
    // The binding and its account may have ended since the association began.
    const admitted = await admitNode(gateway, sender.title, sender.address);
    if ('refusal' in admitted) return replyWith(Status.notAuthorized);
    const { viewer } = admitted;
    const maxBytes = await gateway.settings.get('upload.maxBytes');
    const { reason } = await storeInstance(
      { gateway, viewer, actor: actorOf(gateway, admitted, sender.address) },
      {
        maxBytes,
        receive: async (imageId) => {
          if (await gateway.usage.isFull(viewer._id, await quotaOf(gateway))) throw new AppError('QUOTA_REACHED');
          const giveBack = await gateway.diskReserve.take(maxBytes);
          if (!giveBack) throw new AppError('STORAGE_FULL');
          const stream = fileOf(fileHeader({ sopClass, sopInstance, transferSyntax }), dataSet);
          const file = { stream, declaredType: 'application/dicom', filename: undefined };
          return storeFile(gateway, imageId, file, maxBytes).finally(giveBack);
        },
        isExpected: (identity) => identity.sopUid === sopInstance && classOf(identity) === sopClass,
        how: { arrives: true },
      },
    );
    return replyWith(reason ?? Status.success);
  } catch (error) {
    if (error instanceof ProtocolFault || error instanceof ConnectionEnded) throw error;
    const { code, status } = asAppError(error);
    if (status === 401) return replyWith(Status.notAuthorized);
    gateway.log.warn({ code }, 'a file that a device sent was not stored');
    return replyWith(status === 503 ? Status.outOfResources : Status.processing);
  }
}

async function* fileOf(header: Buffer, dataSet: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield header;
  yield* dataSet;
}

const classOf = ({ attributes = '{}' }: FileIdentity): string | undefined =>
  firstValue(dataSetIn(attributes), '00080016') || undefined;
