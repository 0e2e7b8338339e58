package dev.rlm.journal.search;

import dev.rlm.journal.format.JsonEncoder;
import dev.rlm.journal.format.segment.LineBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Search for a text among the bytes of a journal's lines, in the one form in which the journal writes it. It looks for the two
 * bytes of the text that are the rarest in such lines, at eight places at a time. Safe for use by several threads.
 */
final class LiteralScan {
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = ONES << 7;
    private static final int CASE = 0x20; // tells the small letters of ASCII from the capital ones

    /** The bytes that are frequent in the journal's lines, the most frequent first. */
    private static final String FREQUENT = " eta\"noisr0l1d,uc:mp2_\\f3hg5476y98vb.-xwkTZ(){}[]=/jqz'";

    private final byte[] literal;
    private final int fold; // that is set in every byte before it is compared
    private final int rarest;
    private final int second;

    /**
     * A search.
     *
     * @param ignoreCase whether letters of ASCII are taken for each other; others, and what differs in the same bit, may be too
     */
    LiteralScan(String text, boolean ignoreCase) {
        fold = ignoreCase ? CASE : 0;
        literal = encoded(text);
        for (int i = 0; i < literal.length; i++) {
            literal[i] |= (byte) fold;
        }
        rarest = rarest(-1);
        second = literal.length > 1 ? rarest(rarest) : rarest;
    }

    /** The text as it stands in a line, without quotation marks. */
    private static byte[] encoded(String text) {
        LineBuffer buffer = new LineBuffer();
        new JsonEncoder(buffer).string(text);
        return Arrays.copyOfRange(buffer.toByteArray(), 1, buffer.size() - 1);
    }

    private int rarest(int except) {
        int found = -1;
        for (int i = 0; i < literal.length; i++) {
            if (i != except && (found < 0 || frequency(literal[i]) > frequency(literal[found]))) {
                found = i;
            }
        }
        return found;
    }

    private static int frequency(byte value) {
        int place = FREQUENT.indexOf(value & 0xFF);
        return place < 0 ? FREQUENT.length() : place;
    }

    /** Returns the index at which the text stands next; {@code to} if it does not. The empty text stands everywhere. */
    int find(byte[] bytes, int from, int to) {
        if (literal.length == 0) {
            return from;
        }
        long folds = ONES * fold;
        long rare = ONES * (literal[rarest] & 0xFF);
        long other = ONES * (literal[second] & 0xFF);
        int last = to - literal.length; // where it can begin
        int at = from;
        int lastEight = Math.min(last + 1, to - Math.max(rarest, second)) - Long.BYTES;
        while (at <= lastEight) {
            long one = ((long) EIGHT.get(bytes, at + rarest) | folds) ^ rare;
            long two = ((long) EIGHT.get(bytes, at + second) | folds) ^ other;
            long both = one | two; // zero where both are as they should be
            long zeros = (both - ONES) & ~both & HIGH_BITS; // of those above the first, some may be none
            while (zeros != 0) {
                int place = at + (Long.numberOfTrailingZeros(zeros) >>> 3);
                if (isAt(bytes, place)) {
                    return place;
                }
                zeros &= zeros - 1;
            }
            at += Long.BYTES;
        }
        while (at <= last && !isAt(bytes, at)) {
            at++;
        }
        return at <= last ? at : to;
    }

    private boolean isAt(byte[] bytes, int place) {
        for (int i = 0; i < literal.length; i++) {
            if ((byte) (bytes[place + i] | fold) != literal[i]) {
                return false;
            }
        }
        return true;
    }
}
