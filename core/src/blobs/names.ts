/** The places that can keep blobs: MongoDB, an S3 bucket, a folder of one machine. */
export const storeNames = ['gridfs', 's3', 'file'] as const;
export type StoreName = (typeof storeNames)[number];
