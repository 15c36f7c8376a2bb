import { Schema, type SchemaOptions, type Types } from 'mongoose';

export type Id = Types.ObjectId;

export const { ObjectId, Mixed } = Schema.Types;
export const id = { type: ObjectId, required: true } as const;
export const string = { type: String, required: true } as const;
export const date = { type: Date, required: true } as const;
export const number = { type: Number, required: true } as const;
export const bool = { type: Boolean, required: true } as const;
export const bytes = { type: Buffer, required: true } as const;

export const hours = (n: number) => n * 3600;
export const days = (n: number) => hours(24) * n;

/** The declarations that a value of this type may have. */
type Kind<T> = [T] extends [Id]
  ? typeof ObjectId
  : [T] extends [Date]
    ? DateConstructor
    : [T] extends [Buffer]
      ? typeof Buffer
      : [T] extends [string]
        ? StringConstructor
        : [T] extends [number]
          ? NumberConstructor
          : [T] extends [boolean]
            ? BooleanConstructor
            : [T] extends [(infer Item)[]]
              ? [Kind<Item>]
              : typeof Mixed | SchemaOf<T>;

/**
 * A field that is always present is required or has a default (an array's is empty). An optional field is not required.
 */
type Field<T, Optional> = Optional extends true
  ? Kind<T> | { type: Kind<T>; default?: undefined; required?: never }
  : { type: Kind<T>; required: true } | { type: Kind<T>; default: T } | (T extends unknown[] ? Kind<T> : never);

type IsOptional<Doc, Name extends keyof Doc> = object extends Pick<Doc, Name> ? true : false;

/** One declaration for each field of a document. An `_id` that is an ObjectId needs none. */
export type Fields<Doc> = {
  [Name in keyof Doc as Name extends '_id' ? (Doc[Name] extends Id ? never : Name) : Name]-?: Name extends '_id'
    ? Kind<Doc[Name]>
    : Field<Exclude<Doc[Name], undefined>, IsOptional<Doc, Name>>;
};

/** A schema with the type of its documents. */
export interface SchemaOf<Doc> extends Schema {
  readonly doc?: Doc;
}

export type DocOf<S> = S extends SchemaOf<infer Doc> ? Doc : never;

/** Makes the schema of a collection. It does not compile unless it declares each field of `Doc` and no other. */
export const schemaOf = <Doc>(fields: Fields<Doc>, options: SchemaOptions = {}): SchemaOf<Doc> =>
  new Schema(fields as object, {
    versionKey: false,
    strict: 'throw',
    autoIndex: false,
    autoCreate: false,
    ...options,
  }) as SchemaOf<Doc>;

/** Makes the schema of an object inside a document. */
export const part = <T>(fields: Fields<T>): SchemaOf<T> => new Schema(fields as object, { _id: false }) as SchemaOf<T>;
