package dev.rlm.journal.format;

import java.io.Serial;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.io.SerializedString;

/**
 * Has Jackson write characters that nobody sees as escapes, as JSON allows for any: control characters beyond those of ASCII, of
 * which terminals obey some; line separators, at which some readers break lines; and what turns the direction of text.
 */
final class UnseenCharacters extends CharacterEscapes {
    @Serial
    private static final long serialVersionUID = 1L;

    private static final int DELETE = 0x7F;
    private static final int[] ASCII = asciiEscapes();

    private static int[] asciiEscapes() {
        int[] escapes = standardAsciiEscapesForJSON();
        escapes[DELETE] = ESCAPE_STANDARD;
        return escapes;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
        return ASCII.clone();
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                new SerializedString("\\u" + HexFormat.of().toHexDigits((char) character));
            default -> null;
        };
    }
}
