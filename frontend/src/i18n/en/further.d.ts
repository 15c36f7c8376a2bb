/** The texts of all other features after the sign-in. They are loaded with the first screen or dialog that uses one. */
export declare const further: {
    readonly profile: any;
    readonly uploads: any;
    readonly guests: any;
    readonly info: any;
    readonly emergencies: any;
    readonly shareImage: any;
    readonly analysis: any;
    readonly audit: any;
    readonly roles: any;
    readonly security: any;
    readonly settings: any;
    readonly overview: any;
    readonly viewer: any;
};
