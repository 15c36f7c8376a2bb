import { session } from '../auth/session';

/** The fields that all events of shares have. */
export interface Given {
  sharingRequestId: string;
  imagemetadataId: string;
  studyId?: string | undefined;
  createdfor: string;
}

/** Finds the images of messages that a share may concern. The client does not know which of them belong to a study. */
export const concerns =
  ({ imagemetadataId, studyId }: Given) =>
  ({ imageId }: { imageId: string }): boolean =>
    studyId !== undefined || imageId === imagemetadataId;

export const isMine = ({ createdfor }: Given): boolean => createdfor === session().user?.id;
