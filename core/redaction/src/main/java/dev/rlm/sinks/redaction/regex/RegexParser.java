package dev.rlm.sinks.redaction.regex;

import java.util.BitSet;

/** Reads the part of RE2's syntax that forms are written in. What it does not know, it refuses. */
public final class RegexParser {
    private static final BitSet DIGIT = range('0', '9');
    private static final BitSet WORD = union(DIGIT, range('a', 'z'), range('A', 'Z'), range('_', '_'));
    private static final BitSet SPACE = union(range('\t', '\n'), range('\f', '\r'), range(' ', ' '));

    private final String text;
    private int at;
    private int groups;
    private boolean eitherCase;
    private boolean everyDot; // a new line, too

    private RegexParser(String text) {
        this.text = text;
    }

    public static Regex parse(String text) {
        RegexParser parser = new RegexParser(text);
        Regex regex = parser.choice();
        if (parser.at < text.length()) {
            throw parser.unknown();
        }
        return regex;
    }

    private IllegalArgumentException unknown() {
        return new IllegalArgumentException("not known at " + at + " of " + text);
    }

    private boolean skip(String token) {
        boolean isThere = text.startsWith(token, at);
        at += isThere ? token.length() : 0;
        return isThere;
    }

    private Regex choice() {
        Regex choice = sequence(Regex.EMPTY);
        while (skip("|")) {
            choice = Regex.Choice.of(choice, sequence(Regex.EMPTY));
        }
        return choice;
    }

    private Regex sequence(Regex before) {
        if (at == text.length() || text.charAt(at) == '|' || text.charAt(at) == ')') {
            return Regex.EMPTY;
        } else if (skip("\\b")) {
            return Regex.Sequence.of(boundary(before), sequence(Regex.EMPTY));
        }
        Regex first = repeated(atom());
        return Regex.Sequence.of(first, sequence(first));
    }

    /** The end of a word at the end of a form, as a symbol behind it; any, where no word need stand before it. */
    private static Regex boundary(Regex before) {
        Regex last = before instanceof Regex.Group group ? group.regex() : before;
        last = last instanceof Regex.Repetition repetition ? repetition.repeated() : last;
        boolean isWord = last instanceof Regex.Symbols symbols
                && symbols.symbols().stream().allMatch(WORD::get);
        BitSet behind = union(isWord ? complement(WORD) : range(0, Regex.KELVIN), range(Regex.END, Regex.END));
        return new Regex.Ahead(symbols(behind), !isWord);
    }

    private Regex atom() {
        if (skip("(")) {
            boolean outerCase = eitherCase;
            boolean outerDot = everyDot;
            boolean isGroup = !skip("?");
            int number = isGroup ? ++groups : 0;
            if (!isGroup) {
                eitherCase |= skip("i");
                everyDot |= skip("s");
                if (!skip(":")) {
                    throw unknown();
                }
            }
            Regex group = choice();
            if (!skip(")")) {
                throw unknown();
            }
            eitherCase = outerCase;
            everyDot = outerDot;
            return isGroup ? new Regex.Group(group, number) : group;
        } else if (skip("[")) {
            return symbols(set());
        } else if (skip(".")) {
            return symbols(complement(everyDot ? new BitSet() : range('\n', '\n')));
        } else if (skip("\\z")) {
            return new Regex.Ahead(symbols(range(Regex.END, Regex.END)), false);
        } else if ("*+?{".indexOf(text.charAt(at)) >= 0) {
            throw unknown();
        }
        return symbols(inCase(character()));
    }

    private Regex repeated(Regex regex) {
        if (skip("*")) {
            return repeated(regex, 0, Regex.UNBOUNDED);
        } else if (skip("+")) {
            return repeated(regex, 1, Regex.UNBOUNDED);
        } else if (skip("?")) {
            return repeated(regex, 0, 1);
        } else if (!skip("{")) {
            return regex;
        }
        int min = number();
        int max = !skip(",") ? min : text.charAt(at) == '}' ? Regex.UNBOUNDED : number();
        if (!skip("}")) {
            throw unknown();
        }
        return repeated(regex, min, max);
    }

    private Regex repeated(Regex regex, int min, int max) {
        return Regex.Repetition.of(regex, min, max, skip("?"));
    }

    private int number() {
        int from = at;
        while (Character.isDigit(text.charAt(at))) {
            at++;
        }
        return Integer.parseInt(text, from, at, 10);
    }

    private BitSet set() {
        boolean negated = skip("^");
        BitSet set = new BitSet();
        for (int begin = at; begin == at || text.charAt(at) != ']'; ) {
            BitSet from = character();
            if (from.cardinality() == 1 && text.charAt(at) == '-' && text.charAt(at + 1) != ']') {
                at++;
                set.or(range(from.nextSetBit(0), character().nextSetBit(0)));
            } else {
                set.or(from);
            }
        }
        at++;
        return negated ? complement(inCase(set)) : inCase(set);
    }

    /** A character, or a class of them with a backslash. */
    private BitSet character() {
        char c = text.charAt(at++);
        if (c >= Regex.OTHER) {
            throw unknown(); // of those all are alike
        } else if (c != '\\') {
            return range(c, c);
        }
        char escaped = text.charAt(at++);
        return switch (escaped) {
            case 'd' -> DIGIT;
            case 'w' -> WORD;
            case 's' -> SPACE;
            case 'S' -> complement(SPACE);
            case 'n' -> range('\n', '\n');
            case 'r' -> range('\r', '\r');
            case 't' -> range('\t', '\t');
            default -> {
                if (Escapes.isAlphanumeric(escaped)) {
                    throw unknown();
                }
                yield range(escaped, escaped);
            }
        };
    }

    private BitSet inCase(BitSet set) {
        if (!eitherCase) {
            return set;
        }
        BitSet both = union(set);
        set.stream()
                .filter(Escapes::isAlphanumeric)
                .filter(Character::isLetter)
                .forEach(c -> both.set(c ^ ('a' - 'A')));
        both.set(Regex.LONG_S, set.get(Regex.LONG_S) || both.get('s'));
        both.set(Regex.KELVIN, set.get(Regex.KELVIN) || both.get('k'));
        return both;
    }

    private static Regex.Symbols symbols(BitSet set) {
        return new Regex.Symbols(set);
    }

    private static BitSet range(int from, int to) {
        BitSet set = new BitSet();
        set.set(from, to + 1);
        return set;
    }

    private static BitSet union(BitSet... sets) {
        BitSet union = new BitSet();
        for (BitSet set : sets) {
            union.or(set);
        }
        return union;
    }

    static boolean isWord(int symbol) {
        return WORD.get(symbol);
    }

    private static BitSet complement(BitSet set) {
        BitSet complement = range(0, Regex.KELVIN);
        complement.andNot(set);
        return complement;
    }
}
