/**
 * Body parts (0018,0015), the defined terms of PS3.16 Annex L that pictures name most often. `paired`: the body has one
 * on each side, so that a picture of one must name its side.
 */
const single = [
  ...['ABDOMEN', 'ABDOMENPELVIS', 'AORTA', 'BLADDER', 'BRAIN', 'CHEST', 'CHESTABDOMEN', 'CHESTABDPELVIS', 'COCCYX'],
  ...['CSPINE', 'CTSPINE', 'ESOPHAGUS', 'FACE', 'GALLBLADDER', 'HEAD', 'HEADNECK', 'HEART', 'JAW', 'LIVER', 'LSPINE'],
  ...['LSSPINE', 'LUNG', 'MEDIASTINUM', 'NECK', 'NOSE', 'PANCREAS', 'PELVIS', 'PROSTATE', 'RIB', 'SACRUM', 'SINUS'],
  ...['SKULL', 'SPINE', 'SPLEEN', 'SSPINE', 'STERNUM', 'STOMACH', 'THORAX', 'THYROID', 'TLSPINE', 'TSPINE', 'UTERUS'],
  ...['WHOLEBODY', 'SPINE LUMBAR', 'SPINE THORACIC', 'SPINE CERVICAL'],
];
const paired = [
  ...['ACJOINT', 'ANKLE', 'ARM', 'BREAST', 'CALCANEUS', 'CLAVICLE', 'ELBOW', 'EXTREMITY', 'EYE', 'FEMUR', 'FINGER'],
  ...['FOOT', 'FOREARM', 'HAND', 'HIP', 'HUMERUS', 'KIDNEY', 'KNEE', 'LEG', 'ORBIT', 'PATELLA', 'SCAPULA', 'SHOULDER'],
  ...['SIJOINT', 'THIGH', 'THUMB', 'TIBIA', 'TMJ', 'TOE', 'WRIST', 'LOWER LEG', 'UPPER ARM', 'TIBIA FIBULA'],
];
const bodyParts = new Set([...single, ...paired]);
const pairedParts = new Set(paired);

export const isBodyPart = (code: string): boolean => bodyParts.has(code);
export const isPaired = (code: string): boolean => pairedParts.has(code);

/** View Position (0018,5101), the defined terms of PS3.3 §C.8.1.1 and §C.8.11.5. */
const views = new Set([
  ...['AP', 'PA', 'LL', 'RL', 'RLD', 'LLD', 'RLO', 'LLO'],
  ...['ML', 'MLO', 'LM', 'LMO', 'CC', 'FB', 'SIO', 'XCC', 'XCCL', 'XCCM', 'LATERAL', 'OBLIQUE'],
]);
export const isView = (code: string): boolean => views.has(code);
