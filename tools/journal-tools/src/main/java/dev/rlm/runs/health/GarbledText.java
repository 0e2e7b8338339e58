package dev.rlm.runs.health;

import java.lang.Character.UnicodeScript;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.zip.Deflater;

/** Text that is no language: characters that no text has, letters of many scripts, or the same words again and again. */
public final class GarbledText {
    private static final int SHORT = 20; // characters, of which nothing can be told
    private static final int MOST = 20_000; // characters that are looked at
    private static final double STRANGE = 0.05; // of the characters
    private static final int SCRIPTS = 4; // a language has one, a quotation a second, a formula a third
    private static final double SCRIPT = 0.03; // of the letters: fewer are a name
    private static final int LONG = 500; // bytes: shorter text does not show that it repeats itself
    private static final double REPEATS = 10; // times shorter when compressed; prose is 2 to 4 times, tables 6
    private static final Set<UnicodeScript> WITH_HAN =
            Set.of(UnicodeScript.HIRAGANA, UnicodeScript.KATAKANA, UnicodeScript.HANGUL, UnicodeScript.BOPOMOFO);

    private GarbledText() {}

    /** Returns whether there is too little of a text to tell. */
    public static boolean isTooShort(String text) {
        return text.length() < SHORT;
    }

    /** Returns whether a text is such. */
    public static boolean is(String text) {
        String part = text.length() > MOST ? text.substring(text.length() - MOST) : text; // loops go on to the end
        return !isTooShort(text) && (isStrange(part) || isOfManyScripts(part) || isRepeated(part));
    }

    private static boolean isStrange(String text) {
        long strange = text.codePoints().filter(GarbledText::isStrange).count();
        return strange > STRANGE * text.length();
    }

    private static boolean isStrange(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL -> !Character.isWhitespace(character);
            case Character.UNASSIGNED, Character.PRIVATE_USE, Character.SURROGATE -> true;
            default -> character == 0xFFFD; // stands for bytes that are no character
        };
    }

    private static boolean isOfManyScripts(String text) {
        Map<UnicodeScript, Integer> letters = new EnumMap<>(UnicodeScript.class);
        text.codePoints().filter(Character::isLetter).forEach(letter -> letters.merge(script(letter), 1, Integer::sum));
        int all = letters.values().stream().mapToInt(Integer::intValue).sum();
        return letters.values().stream().filter(count -> count > SCRIPT * all).count() >= SCRIPTS;
    }

    private static UnicodeScript script(int letter) {
        UnicodeScript script = UnicodeScript.of(letter);
        return WITH_HAN.contains(script) ? UnicodeScript.HAN : script;
    }

    private static boolean isRepeated(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < LONG) {
            return false;
        }
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        try {
            deflater.setInput(bytes);
            deflater.finish();
            byte[] compressed = new byte[bytes.length];
            return deflater.deflate(compressed) * REPEATS < bytes.length;
        } finally {
            deflater.end();
        }
    }
}
