export function StudyViewer() {
  return null;
}
