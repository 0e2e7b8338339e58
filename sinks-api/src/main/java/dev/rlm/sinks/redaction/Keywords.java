package dev.rlm.sinks.redaction;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Words that are looked for all at once, in one pass over a text whatever their number: the automaton of Aho and Corasick.
 * Letters of ASCII match in either case; other characters match some that they are not, so that a {@link Lead} has to look
 * for itself. Immutable; safe for use by several threads.
 */
final class Keywords {
    private static final int ASCII = 128;
    private static final int OTHERS = 16; // classes of the characters beyond ASCII, by their lowest bits
    private static final int CHECKED = 1 << 16; // characters between two looks at the clock

    private final byte[] classes;
    private final int width;

    // The row of the next state by row and class; its complement where keywords end in that state.
    private final int[] table;
    private final Word[][] ending;

    private Keywords(byte[] classes, int width, int[] table, Word[][] ending) {
        this.classes = classes;
        this.width = width;
        this.table = table;
        this.ending = ending;
    }

    /** Follows the lead of every occurrence, in the order in which they end. */
    void scan(Search search) {
        String text = search.text();
        int row = 0;
        for (int from = 0; from < text.length(); from += CHECKED) {
            search.deadline().check();
            row = scan(search, text, row, from, Math.min(text.length() - from, CHECKED) + from);
        }
    }

    private int scan(Search search, String text, int start, int from, int to) {
        int row = start;
        for (int i = from; i < to; i++) {
            int next = table[row + classOf(text.charAt(i))];
            if (next < 0) {
                next = ~next;
                for (Word word : ending[next / width]) {
                    word.lead().follow(search, i + 1 - word.length(), i + 1);
                }
            }
            row = next;
        }
        return row;
    }

    private int classOf(char c) {
        return c < ASCII ? classes[c] : 1 + (c & (OTHERS - 1));
    }

    private record Word(int length, Lead lead) {}

    /** Collects words and makes the automaton. */
    static final class Builder {
        private final List<String> words = new ArrayList<>();
        private final List<Lead> leads = new ArrayList<>();
        private final byte[] classes = new byte[ASCII];
        private int width = 1 + OTHERS;
        private int size = 1;

        /** A word of at least one character, and what it leads to. */
        Builder add(String word, Lead lead) {
            words.add(word);
            leads.add(lead);
            size += word.length();
            for (int i = 0; i < word.length(); i++) {
                classify(word.charAt(i));
            }
            return this;
        }

        private void classify(char c) {
            if (c < ASCII && classes[c] == 0) {
                byte next = (byte) width++;
                classes[Character.toLowerCase(c)] = next;
                classes[Character.toUpperCase(c)] = next;
            }
        }

        Keywords build() {
            int[] table = new int[size * width]; // by state, first of the trie, then of the automaton
            List<List<Word>> ending = new ArrayList<>();
            ending.add(new ArrayList<>());
            Keywords form = new Keywords(classes, width, table, new Word[0][]);
            for (int i = 0; i < words.size(); i++) {
                ending.get(insert(form, ending, words.get(i))).add(new Word(words.get(i).length(), leads.get(i)));
            }
            complete(table, ending);
            return finished(table, ending);
        }

        private int insert(Keywords form, List<List<Word>> ending, String word) {
            int state = 0;
            for (int i = 0; i < word.length(); i++) {
                int cell = state * width + form.classOf(word.charAt(i));
                if (form.table[cell] == 0) {
                    form.table[cell] = ending.size();
                    ending.add(new ArrayList<>());
                }
                state = form.table[cell];
            }
            return state;
        }

        /** Gives every state, the shortest first, the transitions of its longest proper suffix where it has none. */
        private void complete(int[] table, List<List<Word>> ending) {
            int[] suffix = new int[ending.size()];
            ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(0));
            while (!queue.isEmpty()) {
                int state = queue.remove();
                for (int c = 0; c < width; c++) {
                    int cell = state * width + c;
                    int fallback = state == 0 ? 0 : table[suffix[state] * width + c];
                    if (table[cell] == 0) {
                        table[cell] = fallback;
                    } else {
                        suffix[table[cell]] = fallback;
                        ending.get(table[cell]).addAll(ending.get(fallback));
                        queue.add(table[cell]);
                    }
                }
            }
        }

        private Keywords finished(int[] table, List<List<Word>> ending) {
            int[] rows = Arrays.copyOf(table, ending.size() * width);
            for (int i = 0; i < rows.length; i++) {
                int row = rows[i] * width;
                rows[i] = ending.get(rows[i]).isEmpty() ? row : ~row;
            }
            Word[][] words = ending.stream().map(list -> list.toArray(new Word[0])).toArray(Word[][]::new);
            return new Keywords(classes.clone(), width, rows, words);
        }
    }
}
