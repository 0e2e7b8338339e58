package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.Escapes;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A form in which a known secret may stand in a text. It is looked for by a keyword of its own and then compared, with all
 * the escapes that it may have there. Immutable; safe for use by several threads.
 *
 * @param form how the secret is written: as it is, or in base64 or hexadecimal
 * @param margin whether a character on each side may hold some of its bits, too, and padding may follow
 * @param secret the secret itself
 */
record KnownValue(String form, boolean margin, String kind, String secret) implements Lead {
    private static final int MIN_KEY = 4;
    private static final int GOOD_KEY = 8;
    private static final int MAX_KEY = 12;
    private static final int ESCAPE = 6; // one of JSON
    private static final int LONGEST_ESCAPE =
            12; // of one character: four bytes with per cent signs, two units with backslashes

    /** A secret in every form that has its bytes in one piece. */
    static List<KnownValue> forms(String value, String kind, String secret) {
        Set<KnownValue> forms = new LinkedHashSet<>();
        forms.add(new KnownValue(value, false, kind, secret));
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        for (int before = 0; before < 3; before++) {
            String middle = base64(bytes, before);
            forms.add(new KnownValue(middle, true, kind, secret));
            forms.add(new KnownValue(middle.replace('+', '-').replace('/', '_'), true, kind, secret));
        }
        String hex = HexFormat.of().formatHex(bytes);
        forms.add(new KnownValue(hex, false, kind, secret));
        forms.add(new KnownValue(hex.toUpperCase(Locale.ROOT), false, kind, secret));
        return List.copyOf(forms);
    }

    /** Returns the digits of base64 that the bytes have wherever so many bytes stand before them, whatever follows. */
    static String base64(byte[] bytes, int before) {
        byte[] shifted = new byte[before + bytes.length];
        System.arraycopy(bytes, 0, shifted, before, bytes.length);
        String all = Base64.getEncoder().withoutPadding().encodeToString(shifted);
        return all.substring(before == 0 ? 0 : before + 1, shifted.length * Byte.SIZE / 6);
    }

    void addTo(Keywords.Builder keywords) {
        int key = keyIndex();
        int end = key;
        while (end < form.length() && end - key < MAX_KEY && Escapes.isAlphanumeric(form.charAt(end))) {
            end++;
        }
        if (end - key >= MIN_KEY) {
            keywords.add(form.substring(key, end), (search, from, to) -> compare(search, from, key));
        } else {
            beginnings().forEach(beginning -> keywords.add(beginning, this));
        }
    }

    /** Returns the index of letters and digits that no encoding changes: the first good ones, else the most. */
    private int keyIndex() {
        int best = 0;
        int most = 0;
        for (int i = 0, from = 0; i < form.length() && most < GOOD_KEY; i++) {
            if (!Escapes.isAlphanumeric(form.charAt(i))) {
                from = i + 1;
            } else if (i + 1 - from > most) {
                most = i + 1 - from;
                best = from;
            }
        }
        return best;
    }

    /** Returns its possible beginnings where it has no such letters and digits. */
    private Set<String> beginnings() {
        String beginning = form.substring(0, Math.min(MAX_KEY, form.length()));
        StringBuilder percent = new StringBuilder();
        for (byte b : beginning.getBytes(StandardCharsets.UTF_8)) {
            percent.append(Escapes.isAlphanumeric(b) || "-._~".indexOf(b) >= 0 ? (char) b : String.format("%%%02x", b));
        }
        StringBuilder json = new StringBuilder();
        StringBuilder ascii = new StringBuilder();
        for (int i = 0; i < beginning.length(); i++) {
            char c = beginning.charAt(i);
            String escaped = c == '"' || c == '\\' ? "\\" + c : c < ' ' ? String.format("\\u%04x", (int) c) : "" + c;
            json.append(escaped);
            ascii.append(c < 0x7F ? escaped : String.format("\\u%04x", (int) c));
        }
        Set<String> all = new LinkedHashSet<>();
        for (CharSequence each : List.of(beginning, percent, json, ascii)) {
            int length = each.toString().startsWith("\\u")
                    ? ESCAPE
                    : MAX_KEY; // the next has more backslashes in JSON in JSON
            all.add(each.toString().substring(0, Math.min(length, each.length())));
        }
        return all;
    }

    @Override
    public void follow(Search search, int from, int to) {
        compare(search, from, 0);
    }

    /** Compares it with what stands around its character of that index. */
    private void compare(Search search, int at, int index) {
        search.deadline().tick();
        search.reachFar();
        String text = search.text();
        int done = search.doneBy(this);
        int start = at - index;
        if (start >= done && text.startsWith(form, start)) {
            found(search, start, start + form.length());
            return;
        }
        int first = Math.max(done, at - Math.min(at, index * LONGEST_ESCAPE));
        for (start = Math.max(first, Math.min(at, start)); start >= first; start--) {
            int end = Escapes.end(text, start, form, index, at);
            if (end > 0) {
                found(search, start, end);
                return;
            }
        }
    }

    private void found(Search search, int from, int to) {
        String text = search.text();
        int start = margin && from > 0 && Base64Runs.isDigit(text.charAt(from - 1)) ? from - 1 : from;
        int end = margin && to < text.length() && Base64Runs.isDigit(text.charAt(to)) ? to + 1 : to;
        while (margin && end < text.length() && text.charAt(end) == '=') {
            end++;
        }
        search.found(new FoundSecret(start, end, kind, FoundSecret.Rank.VALUE, secret));
        search.done(this, to);
    }
}
