package dev.rlm.sinks.redaction;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Ways in which a text is written within another, and what of a secret in it can then be told. */
enum Encoding {
    PLAIN {
        @Override
        String of(String text, int variant) {
            return text;
        }
    },
    BASE64 {
        @Override
        String of(String text, int variant) {
            return Base64.getEncoder().encodeToString(Planted.bytes(text));
        }
    },
    BASE64_URL {
        @Override
        String of(String text, int variant) {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(Planted.bytes(text));
        }
    },
    URL {
        @Override
        String of(String text, int variant) {
            String escaped = URLEncoder.encode(text, StandardCharsets.UTF_8);
            escaped = variant % 2 == 0 ? escaped : escaped.replace("+", "%20");
            return variant % 4 < 2 ? escaped : lowerHex(escaped);
        }
    },
    JSON {
        @Override
        String of(String text, int variant) {
            String once = json(text, variant);
            return variant % 3 == 0 ? json(once, variant) : once;
        }
    };

    private static final int PIECE = 8;

    abstract String of(String text, int variant);

    /** A piece of the secret of eight characters that can be told from the text; empty where there is none. */
    String leak(String secret, String text) {
        Set<String> pieces = new HashSet<>();
        for (int i = 0; i + PIECE <= secret.length(); i++) {
            pieces.add(secret.substring(i, i + PIECE));
        }
        pieces.removeIf(piece -> piece.contains("-----") || piece.contains("KEY") || "PRIVATE KEY".contains(piece));
        String left = text.replaceAll("\\[REDACTED:[^\\]]*]", "[]"); // a kind may be called as its secrets begin
        return this == BASE64 || this == BASE64_URL ? base64Leak(pieces, left) : leak(pieces, left);
    }

    private static String base64Leak(Set<String> pieces, String text) {
        for (String run : text.split("[^A-Za-z0-9+/_-]+", -1)) {
            for (int skip = 0; skip < 4 && run.length() > PIECE + skip; skip++) {
                String digits = run.substring(skip).replace('-', '+').replace('_', '/');
                digits = digits.substring(0, digits.length() / 4 * 4);
                byte[] bytes = Base64.getDecoder().decode(digits);
                String leak = leak(pieces, new String(bytes, StandardCharsets.ISO_8859_1));
                if (!leak.isEmpty()) {
                    return leak;
                }
            }
        }
        return leak(pieces, text);
    }

    private static String leak(Set<String> pieces, String text) {
        for (int i = 0; i + PIECE <= text.length(); i++) {
            if (pieces.contains(text.substring(i, i + PIECE))) {
                return text.substring(i, i + PIECE);
            }
        }
        return "";
    }

    private static String lowerHex(String escaped) {
        StringBuilder lower = new StringBuilder(escaped);
        for (int i = lower.indexOf("%"); i >= 0; i = lower.indexOf("%", i + 1)) {
            lower.replace(i, i + 3, lower.substring(i, i + 3).toLowerCase(Locale.ROOT));
        }
        return lower.toString();
    }

    private static String json(String text, int variant) {
        StringBuilder json = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                case '/' -> json.append(variant % 2 == 0 ? "/" : "\\/");
                default -> {
                    boolean escaped = c < ' ' || (c > '~' && variant % 4 != 0);
                    json.append(escaped ? String.format(variant % 4 == 1 ? "\\u%04X" : "\\u%04x", (int) c) : "" + c);
                }
            }
        }
        return json.toString();
    }
}
