// EVOLVE-BLOCK-START
import java.io.DataInputStream;
import java.io.BufferedInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

class Kernel {
    /** The smallest distance of two numbers: all pairs are compared. */
    static double smallestGap(double[] x) {
        double best = Double.POSITIVE_INFINITY;
        for (int i = 0; i < x.length; i++)
            for (int j = i + 1; j < x.length; j++)
                best = Math.min(best, Math.abs(x[i] - x[j]));
        return best;
    }
}
// EVOLVE-BLOCK-END

// Lines of JSON in and out: {"call": "smallest_gap", "args": [{"$array": "float64", "shape": [n]}]}, behind it the n numbers.
class Program {
    public static void main(String[] given) throws java.io.IOException {
        DataInputStream input = new DataInputStream(new BufferedInputStream(System.in));
        StringBuilder line = new StringBuilder();
        for (int c; (c = input.read()) >= 0; ) {
            if (c != '\n') {
                line.append((char) c);
                continue;
            }
            int at = line.indexOf("\"shape\":[") + 9;
            byte[] bytes = new byte[8 * Integer.parseInt(line.substring(at, line.indexOf("]", at)))];
            input.readFully(bytes);
            double[] x = new double[bytes.length / 8];
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().get(x);
            System.out.println("{\"value\": " + Kernel.smallestGap(x) + "}");
            line.setLength(0);
        }
    }
}
