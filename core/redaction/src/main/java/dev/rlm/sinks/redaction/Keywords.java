package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.SearchDeadline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Words that are looked for all at once, in one pass over a text whatever their number: the automaton of Aho and Corasick,
 * behind a look at three characters at a time, which is all that most places need. Letters of ASCII match in either case;
 * other characters match some that they are not, so that a {@link Lead} has to look for itself. Immutable; safe for use by
 * several threads.
 */
final class Keywords {
    private static final int ASCII = 128;
    private static final int OTHERS = 4; // classes of characters beyond ASCII, by their lowest bits
    private static final int CHECKED = 1 << 16; // characters between two looks at the clock
    private static final Word[] NONE = {};
    private static final int BLOCK = 3; // characters that are looked at together

    private final byte[] classes;
    private final States states;
    private final Word[][] ending; // by state
    private final Blocks blocks;
    private final int overlap; // characters of a word at whose beginning the automaton stops that are looked at again

    private final int longest;

    private Keywords(byte[] classes, States states, Word[][] ending, Blocks blocks, int shortest, int longest) {
        this.classes = classes;
        this.states = states;
        this.ending = ending;
        this.blocks = blocks;
        this.overlap = shortest - 1;
        this.longest = longest;
    }

    /** Follows the lead of every occurrence, in the order in which they end. */
    void scan(Search search) {
        scan(search.text(), 0, search.text().length(), search.deadline(), search::follow);
    }

    /** Tells of every occurrence that begins between two indexes, and of some that begin later. */
    void scan(String text, int from, int to, SearchDeadline deadline, Listener listener) {
        int at = from;
        int checked = from;
        while (at < to) {
            if (at >= checked) {
                deadline.check();
                checked = at + CHECKED;
            }
            int end = Math.min(to, checked);
            at = blocks.next(text, at, end);
            if (at < end) {
                at = Math.max(at + 1, scan(listener, text, at) - overlap);
            }
        }
    }

    /** Goes on for as long as a word may be about to end; returns up to where. */
    private int scan(Listener listener, String text, int from) {
        int state = 0;
        int i = from;
        while (i < text.length() && (i < from + BLOCK || states.depth(state) > overlap)) {
            state = states.next(state, classOf(classes, text.charAt(i++)));
            for (Word word : ending[state]) {
                listener.occurs(word.lead(), i - word.length(), i);
            }
        }
        return i;
    }

    /** Returns the length of the longest word. */
    int longest() {
        return longest;
    }

    private static int classOf(byte[] classes, char c) {
        return c < ASCII ? classes[c] : 1 + (c & (OTHERS - 1));
    }

    /**
     * With which three characters words begin, and which then come fourth. Of a character a code of five bits counts, in
     * which the two cases of a letter are alike. Where the codes are those of a word, a set tells whether the characters are so in
     * the cases in which the word counts.
     */
    private static final class Blocks {
        private static final int BITS = 5;
        private static final int OF_CODE = (1 << BITS) - 1;
        private static final int OF_BLOCK = (1 << (BLOCK * BITS)) - 1;
        private static final int OF_HASH = 18;

        private static final byte[] CODES = codes();

        private final int[] fourth = new int[OF_BLOCK + 1]; // by block, a bit for each that may follow
        private final BitSet beginnings = new BitSet(1 << OF_HASH); // hashes of what words begin with

        private boolean hasShort; // words, which may end where no whole block is left

        /** Letters are told apart from each other and from all else, in either case; they are most of what words have. */
        private static byte[] codes() {
            byte[] codes = new byte[ASCII];
            for (int c = 0; c < ASCII; c++) {
                int other = c >= '0' && c <= '9'
                        ? 27 + c % 2
                        : c == '-' || c == '_' ? 29 : c <= ' ' ? 0 : c > ':' ? 30 : 31;
                codes[c] = (byte) (Character.isLetter(c) ? c & OF_CODE : other);
            }
            return codes;
        }

        /** Adds a word; where it is shorter than a block, with all that may follow it. */
        void add(String word, boolean eitherCase) {
            int block = 0;
            for (int i = 0; i < Math.min(BLOCK, word.length()); i++) {
                block = with(block, word.charAt(i));
            }
            hasShort |= word.length() < BLOCK;
            int missing = BITS * Math.max(0, BLOCK - word.length());
            int next = word.length() > BLOCK ? 1 << CODES[word.charAt(BLOCK) & (ASCII - 1)] : -1;
            for (int each = block << missing; each < (block + 1) << missing; each++) {
                fourth[each] |= next;
            }
            if (!hasShort) {
                addBeginning(word, eitherCase, 0, 0);
            }
        }

        private void addBeginning(String word, boolean eitherCase, int index, int before) {
            if (index == BLOCK) {
                beginnings.set(before >>> (Integer.SIZE - OF_HASH));
                return;
            }
            char c = word.charAt(index);
            addBeginning(word, eitherCase, index + 1, hash(before, c));
            if (eitherCase && c < ASCII && Character.isLetter(c)) {
                addBeginning(word, true, index + 1, hash(before, (char) (c ^ ('a' - 'A'))));
            }
        }

        private static int hash(int before, char c) {
            return (before + c) * 0x9E3779B1; // the golden ratio's: the upper bits depend on all
        }

        private static int with(int block, int c) {
            return ((block << BITS) | CODES[c & (ASCII - 1)]) & OF_BLOCK;
        }

        private boolean isBeginning(String text, int from) {
            int hash = hash(hash(hash(0, text.charAt(from)), text.charAt(from + 1)), text.charAt(from + 2));
            return hasShort || beginnings.get(hash >>> (Integer.SIZE - OF_HASH));
        }

        /** Returns where the next word may begin, as far as characters are there; the end if none does. */
        int next(String text, int from, int to) {
            int last = Math.min(text.length(), to + BLOCK);
            int block = 0;
            int i = from;
            for (; i < Math.min(last, from + BLOCK); i++) {
                block = with(block, text.charAt(i));
            }
            for (; i < last; i++) {
                int code = CODES[text.charAt(i) & (ASCII - 1)];
                if (((fourth[block] >>> code) & 1) != 0 && isBeginning(text, i - BLOCK)) {
                    return i - BLOCK;
                }
                block = ((block << BITS) | code) & OF_BLOCK;
            }
            int rest = text.length() - BLOCK; // behind what begins there stands no fourth
            return rest < to && (rest >= from || hasShort) ? Math.max(from, rest) : to;
        }
    }

    /** Is told of occurrences. */
    @FunctionalInterface
    interface Listener {
        void occurs(Lead lead, int from, int to);
    }

    private record Word(int length, Lead lead) {}

    /** Collects words and makes the automaton. */
    static final class Builder {
        private final List<String> words = new ArrayList<>();
        private final Blocks blocks = new Blocks();
        private final List<Lead> leads = new ArrayList<>();
        private final byte[] classes = new byte[ASCII];
        private int width = 1 + OTHERS;
        private int size = 1;

        /** A word of at least one character, and what it leads to. */
        Builder add(String word, Lead lead) {
            blocks.add(word, true);
            return addWord(word, lead);
        }

        /** The same where it counts in its own case alone: its lead need not be followed in another, and mostly is not. */
        Builder addExactly(String word, Lead lead) {
            blocks.add(word, false);
            return addWord(word, lead);
        }

        private Builder addWord(String word, Lead lead) {
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
            States states = new States(width, size);
            List<List<Word>> ending = new ArrayList<>(List.of(new ArrayList<>()));
            for (int i = 0; i < words.size(); i++) {
                int state = 0;
                for (char c : words.get(i).toCharArray()) {
                    state = states.child(state, classOf(classes, c));
                    if (state == ending.size()) {
                        ending.add(new ArrayList<>());
                    }
                }
                ending.get(state).add(new Word(words.get(i).length(), leads.get(i)));
            }
            states.complete((state, suffix) -> ending.get(state).addAll(ending.get(suffix)));
            Word[][] byState = ending.stream()
                    .map(list -> list.isEmpty() ? NONE : list.toArray(NONE)) // nowhere do most states end a word
                    .toArray(Word[][]::new);
            int shortest = words.stream().mapToInt(String::length).min().orElse(BLOCK);
            int longest = words.stream().mapToInt(String::length).max().orElse(0);
            return new Keywords(classes.clone(), states, byState, blocks, Math.min(BLOCK, shortest), longest);
        }
    }

    /** Beginnings of words, each with those that are a character longer, and with its longest proper suffix that is one too. */
    private static final class States {
        private static final int NONE = -1;

        private final int[] ofRoot; // states of one character, by class
        private byte[] last; // class of the last character
        private int[] child; // the last that was added
        private int[] sibling; // added before
        private int[] suffix;
        private int[] depth;
        private int count = 1;

        /** The root alone, with room for so many. */
        States(int width, int size) {
            ofRoot = new int[width];
            last = new byte[size];
            child = new int[size];
            sibling = new int[size];
            suffix = new int[0];
            depth = new int[size];
            Arrays.fill(child, NONE);
        }

        /** Returns the state that a character leads to, which is added where there is none. */
        int child(int state, int of) {
            int known = find(state, of);
            if (known != NONE) {
                return known;
            }
            last[count] = (byte) of;
            depth[count] = depth[state] + 1;
            if (state == 0) {
                ofRoot[of] = count;
            }
            sibling[count] = child[state];
            child[state] = count;
            return count++;
        }

        private int find(int state, int of) {
            if (state == 0) {
                return ofRoot[of] == 0 ? NONE : ofRoot[of];
            }
            int each = child[state];
            while (each != NONE && last[each] != of) {
                each = sibling[each];
            }
            return each;
        }

        /** Gives each its suffix, the shortest first, and tells of both. None is added from then on. */
        void complete(BiConsumer<Integer, Integer> listener) {
            last = Arrays.copyOf(last, count);
            child = Arrays.copyOf(child, count);
            sibling = Arrays.copyOf(sibling, count);
            suffix = new int[count];
            depth = Arrays.copyOf(depth, count);
            ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(0));
            while (!queue.isEmpty()) {
                int state = queue.remove();
                for (int each = child[state]; each != NONE; each = sibling[each]) {
                    suffix[each] = state == 0 ? 0 : next(suffix[state], last[each]);
                    listener.accept(each, suffix[each]);
                    queue.add(each);
                }
            }
        }

        /** Returns the longest state that ends with the character. */
        int next(int state, int of) {
            int from = state;
            int found = find(from, of);
            while (found == NONE && from != 0) {
                from = suffix[from];
                found = find(from, of);
            }
            return found == NONE ? 0 : found;
        }

        int depth(int state) {
            return depth[state];
        }
    }
}
