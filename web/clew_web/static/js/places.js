/* Words for where a text stands in its original. */

/* headings: of each line; a text is under that of its first, which may be none. line: of a knowledge base, where what is told is a triple of one. */
export function placeWords(pages, headings, line = null) {
  const known = pages.filter((page) => page > 0);
  const [heading] = headings;
  const words = line === null ? [] : [`line ${line}`];
  if (known.length > 0) {
    const [first, last] = [Math.min(...known), Math.max(...known)];
    words.push(first === last ? `page ${first}` : `pages ${first}–${last}`);
  }
  if (heading) {
    words.push(`under “${heading}”`);
  }
  return words.join(", ");
}
